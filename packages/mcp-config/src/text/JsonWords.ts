/** Messages for the syntax errors of JSON. */
import { type ParseErrorCode, printParseErrorCode } from "jsonc-parser"

/** Gives the message for an error code of `jsonc-parser`. */
export const of = (code: ParseErrorCode): string => WORDS[printParseErrorCode(code)] ?? "this is not JSON"

const WORDS: Readonly<Record<string, string>> = {
  InvalidSymbol: "this is not JSON (text needs double quotes)",
  InvalidNumberFormat: "this is not a number as JSON writes it",
  PropertyNameExpected: "expected a key in double quotes",
  ValueExpected: "expected a value",
  ColonExpected: "expected a colon after the key",
  CommaExpected: "expected a comma",
  CloseBraceExpected: "expected a closing }",
  CloseBracketExpected: "expected a closing ]",
  EndOfFileExpected: "expected the end of the text",
  InvalidCommentToken: "a comment is not allowed here",
  UnexpectedEndOfComment: "a comment is not closed",
  UnexpectedEndOfString: "a text is not closed",
  UnexpectedEndOfNumber: "a number is not complete",
  InvalidUnicode: "\\u needs four hexadecimal digits",
  InvalidEscapeCharacter: "JSON has no such escape; write \\\\ for a backslash",
  InvalidCharacter: "a control character must be escaped"
}
