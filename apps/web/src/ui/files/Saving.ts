/** Saves what a tool gave as a file of the person who looks at it. */

/** Never as what it says it is: a file that is saved is not opened in this page's name. */
const TYPE = "application/octet-stream"

/** How long the browser may take to begin; nothing tells when it has. */
const KEPT_MILLIS = 60_000

const save = (content: BlobPart, name: string) => {
  const address = URL.createObjectURL(new Blob([content], { type: TYPE }))
  const link = document.createElement("a")
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MILLIS)
}

export const saveText = (text: string, name: string) => save(text, name)

/** Gives false when it is no base64. */
export const saveBase64 = (data: string, name: string): boolean => {
  const bytes = decoded(data)
  if (bytes === null) return false
  save(bytes, name)
  return true
}

const decoded = (data: string) => {
  try {
    return Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}
