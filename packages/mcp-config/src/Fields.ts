/** Reading JSON files of our own with the place of each mistake. Stands apart because it loads `effect/Schema`. */
export * as Field from "./text/Field.ts"
export * as JsonNode from "./text/JsonNode.ts"
