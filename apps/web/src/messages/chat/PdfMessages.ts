/** The words around an open PDF. */
import { translated } from "../../language/Language.ts"

export const pdf = translated(
  "pdf",
  {
    opening: "Opening the PDF",
    page: (page: number, of: number) => `Page ${page} of ${of}`,
    pageText: (page: number) => `The text of page ${page}`,
    earlier: "Previous page",
    later: "Next page",
    smaller: "Smaller",
    larger: "Larger",
    zoomed: (share: string) => `${share} of the width`,
    save: "Save",
    faults: {
      missing: "The file is not there any more.",
      large: "This PDF is larger than 50 MB. Save it to read it.",
      password: "This PDF needs a password. Save it to read it.",
      damaged: "This PDF cannot be read. Save it to try another program.",
      slow: "This PDF takes too long to draw. Save it to try another program."
    }
  } as const
)
