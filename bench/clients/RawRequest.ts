/** As RawHttp, but by undici's `request`, which is what most programs would write. */
import { Pool } from "undici"
import { openWith } from "./RawHttp.ts"

export const open = openWith((origin, path, headers) => {
  const pool = new Pool(origin, { connections: 64 })
  return {
    post: async (body) => (await pool.request({ path, method: "POST", headers, body })).body.text(),
    close: () => pool.close()
  }
})
