/** Which addresses of models and servers the page follows or shows. */

const LINKS = new Set(["http:", "https:", "mailto:"])
const IMAGE_DATA = /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z0-9+/=\s]+$/i
const OWN_FILE = /^\/api\/chats\/[^/?#\\]+\/files\/[^/?#\\]+$/

/** A type of picture that cannot do anything but be looked at. */
export const isImage = (mediaType: string): boolean => /^image\/(png|jpeg|gif|webp)$/.test(mediaType)

/** The address when a click may lead there; null for `javascript:`, for paths of this server, and the like. */
export const safeLink = (href: string): string | null =>
  URL.canParse(href) && LINKS.has(new URL(href).protocol) ? href : null

/** The address when the picture is in it, or is a file of a chat of this server; null when it is anywhere else. */
export const safeImage = (href: string): string | null => IMAGE_DATA.test(href) || OWN_FILE.test(href) ? href : null

/** A picture of a result as an address, or null when its type is not one that is shown. */
export const imageData = (mediaType: unknown, data: unknown): string | null =>
  typeof mediaType === "string" && isImage(mediaType) && typeof data === "string"
    ? safeImage(`data:${mediaType};base64,${data}`)
    : null
