/** A square with the first letter of a name, where a picture would stand. It says nothing to a screen reader. */
export const Letter = ({ isLarge = false, name }: { readonly name: string; readonly isLarge?: boolean }) => (
  <span class={isLarge ? "letter large" : "letter"} aria-hidden="true">
    {[...name.replace(/^[^\p{L}\p{N}]+/u, "")][0]?.toUpperCase() ?? "·"}
  </span>
)
