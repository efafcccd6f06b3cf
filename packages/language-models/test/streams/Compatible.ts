/** Streams as a chat completions server sends them. */

/** Reasoning, text, two tool calls side by side. */
export const reasoningTools = String
  .raw`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1763700000,"model":"qwen3-8b","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1763700000,"model":"qwen3-8b","choices":[{"index":0,"delta":{"reasoning_content":"Two files "},"finish_reason":null}]}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1763700000,"model":"qwen3-8b","choices":[{"index":0,"delta":{"reasoning_content":"are asked for."},"finish_reason":null}]}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1763700000,"model":"qwen3-8b","choices":[{"index":0,"delta":{"content":"I will read "},"finish_reason":null}]}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1763700000,"model":"qwen3-8b","choices":[{"index":0,"delta":{"content":"both files."},"finish_reason":null}]}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1763700000,"model":"qwen3-8b","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_A","type":"function","function":{"name":"files_read_file","arguments":""}}]},"finish_reason":null}]}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1763700000,"model":"qwen3-8b","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_B","type":"function","function":{"name":"files_list","arguments":""}}]},"finish_reason":null}]}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1763700000,"model":"qwen3-8b","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"path\": \"a"}}]},"finish_reason":null}]}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1763700000,"model":"qwen3-8b","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":".txt\"}"}}]},"finish_reason":null}]}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1763700000,"model":"qwen3-8b","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1763700000,"model":"qwen3-8b","choices":[],"usage":{"prompt_tokens":120,"completion_tokens":40,"total_tokens":160,"prompt_tokens_details":{"cached_tokens":20},"completion_tokens_details":{"reasoning_tokens":12}}}

data: [DONE]

`

/** One word of text. */
export const text = String
  .raw`data: {"id":"chatcmpl-2","object":"chat.completion.chunk","created":1763700001,"model":"qwen3-8b","choices":[{"index":0,"delta":{"role":"assistant","content":"Done."},"finish_reason":null}]}

data: {"id":"chatcmpl-2","object":"chat.completion.chunk","created":1763700001,"model":"qwen3-8b","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: [DONE]

`
