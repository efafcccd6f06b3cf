/** Paths of entries as they are written, with variables in them, that start from the folder of their file. */

/** A path that starts with a variable, a home folder or a drive says itself where it starts. */
export const isRelative = (text: string): boolean => text !== "" && !/^(?:[/\\~$]|[A-Za-z]:)/.test(text)

/** A program or an argument such as `./server.js`. */
export const isNear = (text: string): boolean => /^\.{1,2}[/\\]/.test(text)

/** A folder's name as an entry writes it. */
export const escaped = (folder: string): string => folder.replaceAll("${", () => "$${")

/** A relative path below a folder, both as an entry writes them. */
export const below = (folder: string, text: string): string => {
  const rest = text.replace(/^\.(?:[/\\]|$)/, "")
  const separator = folder.includes("\\") ? "\\" : "/"
  return rest === "" ? folder : `${folder}${separator}${rest}`
}
