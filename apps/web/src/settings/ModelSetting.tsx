/** The model of chats that name none, chosen among those that there are. */
import type { Json } from "../api/Types.ts"
import { modelOptions, unlistedModel } from "../chat/composer/Pickers.tsx"
import { settings as texts } from "../messages/SettingsMessages.ts"
import { models } from "../state/Catalog.ts"
import { PickerButton } from "../ui/lists/Picker.tsx"

interface ModelSettingProps {
  /** Null is none. */
  readonly value: string | null
  readonly onSave: (value: Json) => void
}

export const ModelSetting = ({ onSave, value }: ModelSettingProps) => {
  const of = models.value
  if (of === null) return null
  const options = modelOptions(of, value, texts.noModel)
  return (
    <>
      <div class="row">
        <PickerButton
          label={texts.modelOfChats}
          placeholder={texts.findModel}
          value={value ?? texts.noModel}
          options={options}
          others={unlistedModel(options)}
          onChoose={({ key }) => onSave(key === "" ? null : key)}
        />
      </div>
      {of.default === null || of.default === value ? null : <p class="muted">{texts.goesBefore(of.default)}</p>}
    </>
  )
}
