/** The command line as it works on the machine of the server. */
import { signal } from "@preact/signals"

/** The command that a person types there in place of `boocode`. */
export const ownCommand = signal("boocode")

/** Words of the server with its commands as they are typed there. */
export const asTyped = (text: string): string => text.replace(VERBS, `${ownCommand.value} `)

/** A hint as a sentence: servers begin it in lower case. A command, a path or the id of a model stays as it is. */
export const asSentence = (hint: string): string =>
  asTyped(hint.startsWith("boocode ") ? hint : hint.replace(/^[a-z](?=[a-z]*[ ,:])/, (letter) => letter.toUpperCase()))

const VERBS =
  /\bboocode (?=(?:mcp|chats?|serve|models|setup|permissions|undo|connect|disconnect|init|backup|restore)(?![\w-]))/g
