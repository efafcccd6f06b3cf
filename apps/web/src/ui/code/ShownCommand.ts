/** The command line as it works on the machine of the server. */
import { signal } from "@preact/signals"

/** The command that a person types there in place of `boocode`. */
export const ownCommand = signal("boocode")

/** Words of the server with its commands as they are typed there. */
export const asTyped = (text: string): string => text.replace(VERBS, `${ownCommand.value} `)

const VERBS =
  /\bboocode (?=(?:mcp|chats?|serve|models|setup|permissions|undo|connect|disconnect|init|backup|restore)(?![\w-]))/g
