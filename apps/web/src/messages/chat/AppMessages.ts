/** The words around the apps of servers. */
import { translated } from "../../language/Language.ts"

export const app = translated(
  "app",
  {
    label: (title: string, server: string) => `${title}, an app of ${server}`,
    loading: "Opening the app …",
    closed: (server: string) => `An app of ${server}`,
    open: "Open",
    notShown: "The app cannot be shown",
    again: "Try again",
    ask: (server: string) => `${server} wants to show an app`,
    changed: (server: string) => `The app of ${server} has changed`,
    reaches: (hosts: string) => `It can send what it sees to ${hosts}.`,
    loads: (hosts: string) => `It loads scripts and pictures from ${hosts}.`,
    frames: (hosts: string) => `It shows pages of ${hosts}.`,
    clipboard: "It can write into the clipboard.",
    alone: "It reaches nothing but its own server, by calls that your permissions allow.",
    show: "Show it",
    full: "Full screen",
    inline: "Leave full screen",
    float: "Keep it in sight",
    unfloat: "Back to its place",
    linkTitle: (server: string) => `The app of ${server} wants to open a page`,
    follow: "Open the page",
    messageTitle: (server: string) => `The app of ${server} wants to send this for you`,
    filesTitle: (server: string) => `The app of ${server} wants to save files`,
    save: "Save",
    send: "Send",
    no: "No",
    context: (server: string) => `context of ${server}.md`,
    contextAbout: "from its app"
  } as const
)
