/** Streams as the Gemini API sends them. */

/** A thought, text, two tool calls of which the first carries a signature. */
export const thoughtTools = String
  .raw`data: {"candidates":[{"content":{"parts":[{"text":"Two files are asked for.","thought":true}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":80,"totalTokenCount":92,"thoughtsTokenCount":12},"modelVersion":"gemini-2.5-flash","responseId":"resp-g1"}

data: {"candidates":[{"content":{"parts":[{"text":"I will read both files."}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":80,"candidatesTokenCount":8,"totalTokenCount":100,"thoughtsTokenCount":12},"modelVersion":"gemini-2.5-flash","responseId":"resp-g1"}

data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"files_read_file","args":{"path":"a.txt"}},"thoughtSignature":"CikBthoughtSignatureG=="},{"functionCall":{"name":"files_list","args":{}}}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":80,"candidatesTokenCount":30,"totalTokenCount":122,"thoughtsTokenCount":12},"modelVersion":"gemini-2.5-flash","responseId":"resp-g1"}

`

/** One word of text. */
export const text = String
  .raw`data: {"candidates":[{"content":{"parts":[{"text":"Done."}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":2,"totalTokenCount":7},"modelVersion":"gemini-2.5-flash","responseId":"resp-g2"}

`
