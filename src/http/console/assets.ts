import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { loadBundle } from './bundle.ts'

const compress = promisify(gzip)
/** Slowest and smallest: it is done once, by threads of their own. */
const LEVEL = 9

/** One file of the console, ready to be sent. */
export interface Asset {
  readonly type: string
  readonly plain: Uint8Array<ArrayBuffer>
  readonly gzipped: Uint8Array<ArrayBuffer>
}

/** The files of the console. */
export interface Assets {
  /** File names of the script and the style sheet that its page names. */
  readonly script: string
  readonly style: string
  readonly files: ReadonlyMap<string, Asset>
}

let loading: Promise<Assets> | undefined

/**
 * The files of the console, loaded and compressed by the first call. After a failure the next call tries again.
 * @throws Error as `loadBundle`
 */
export function assetsOnce(): Promise<Assets> {
  loading ??= loadAssets().catch((error) => {
    loading = undefined
    throw error
  })
  return loading
}

async function loadAssets(): Promise<Assets> {
  const { script, style, texts } = await loadBundle()
  const files = new Map<string, Asset>()
  for (const [name, text] of texts) {
    const plain = new TextEncoder().encode(text)
    const gzipped = new Uint8Array(await compress(plain, { level: LEVEL }))
    files.set(name, { type: typeOf(name), plain, gzipped })
  }
  return { script, style, files }
}

function typeOf(name: string): string {
  return name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8'
}
