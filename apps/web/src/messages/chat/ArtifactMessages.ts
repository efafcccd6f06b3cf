/** The words around what answers make: pages, pictures, diagrams, documents and long code. */
import { translated } from "../../language/Language.ts"

export const artifact = translated(
  "artifact",
  {
    kind: {
      html: "Web page",
      svg: "Picture",
      mermaid: "Diagram",
      markdown: "Document",
      code: "Code"
    },
    lines: (number: number) => `${number} lines`,
    writing: (number: number) => `is being written, ${number} lines`,
    open: "Open beside the chat",
    openNamed: (name: string) => `Open ${name} beside the chat`,
    panel: (name: string) => `${name}, beside the chat`,
    views: "What is shown",
    preview: "Preview",
    source: "Source",
    versions: "Versions",
    copy: "Copy the source",
    download: "Download",
    close: "Close",
    loading: "opening the preview",
    notShown: "The preview cannot be shown",
    again: "Try again",
    nothingOutside: "It asks for files from elsewhere, which a preview never loads.",
    pictureOf: (name: string) => `Picture: ${name}`,
    diagramOf: (name: string) => `Diagram: ${name}`,
    drawing: "drawing",
    notDrawn: "The diagram cannot be drawn",
    pictureBroken: "The picture cannot be shown",
    tooLong: "it took too long",
    tooLarge: "it is too large"
  } as const
)
