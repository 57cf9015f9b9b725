/** Maximum keys in a path, including those inside a payload. @see docs/reference/protocol.md#the-data-model */
export const MAX_DEPTH = 32
/** Maximum UTF-8 bytes of a key, and of a path, which counts its keys and one byte for each of them. */
export const MAX_KEY_BYTES = 768

/**
 * Length from which a body is measured before it is parsed, in bytes. A shorter one is parsed and planned in a few
 * milliseconds, whatever its content.
 */
export const LARGE_BODY_BYTES = 128 * 1024
/** Number of nodes from which a payload is processed in steps. */
export const LARGE_NODES = 4096
/** Length of all strings of a payload from which it is printed in steps, in UTF-16 code units. */
export const LARGE_TEXT = 256 * 1024

/** Settable bounds on one request. @see docs/reference/protocol.md#sizes */
export interface Limits {
  /** Longest string leaf, in UTF-8 bytes. */
  readonly maxLeafBytes: number
  /** Largest write body after decompression, in bytes. */
  readonly maxWriteBytes: number
  /** Longest answer to a read, in UTF-16 code units of its JSON text, which equal bytes for ASCII. */
  readonly maxReadBytes: number
  /** Longest time a read may take, in milliseconds. */
  readonly maxReadMs: number
  /** Nodes that the engine writes per second, for the estimate of `writeSizeLimit`. */
  readonly writeNodesPerSecond: number
}

const MEBIBYTE = 1024 * 1024

export const defaultLimits: Limits = {
  maxLeafBytes: 10 * MEBIBYTE,
  maxWriteBytes: 16 * MEBIBYTE,
  maxReadBytes: 256 * MEBIBYTE,
  maxReadMs: 15 * 60 * 1000,
  // `bun run bench write`, PUT 1 MB embedded: 39,709 nodes in 26 ms.
  writeNodesPerSecond: 1_500_000,
}
