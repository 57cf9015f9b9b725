/** A part of the JSON text. The bytes are valid until the next slice is read. */
interface Text {
  readonly bytes: Uint8Array
  /** Offset in the whole text. */
  readonly offset: number
}

/** Members of an object, or elements of an array, between two commas, without brackets. */
export interface MembersSlice extends Text {
  readonly kind: 'members'
  /** Keys from the root to the container. */
  readonly keys: readonly string[]
  readonly isArray: boolean
  /** Index of the first element. */
  readonly first: number
  /** Number of members or elements. */
  readonly count: number
  /** Whether a direct key may hold an escape or a slash, or begin with a dot. */
  readonly hasOddKeys: boolean
}

/** A slice of a JSON text. Slices follow each other in the order of the text. */
export type Slice =
  /** The whole text: it is short. */
  | (Text & { readonly kind: 'whole' })
  /** Start of an object or array that is split. */
  | { readonly kind: 'open'; readonly keys: readonly string[] }
  | MembersSlice
  /** End of an object or array that is split. */
  | { readonly kind: 'close'; readonly keys: readonly string[] }

/** A split container in a position. */
export interface OpenContainer {
  /** Key in the parent container; empty for the root. */
  readonly key: string
  readonly isArray: boolean
  /** Commas before the position. */
  readonly count: number
}

/** Position from which the slices of a text can be continued. */
export interface SlicePosition {
  /** Bytes before the position. */
  readonly offset: number
  /** Containers around the position, from the root down. */
  readonly open: readonly OpenContainer[]
}

/** The text is no JSON, or nests too deeply. The exact fault is in the bytes of the window. */
export class BrokenText extends Error {
  /** Bytes from the last complete slice on. */
  readonly window: MembersSlice | (Text & { readonly kind: 'whole' })
  /** Offset at which the fault was detected. */
  readonly at: number

  constructor(message: string, window: BrokenText['window'], at: number) {
    super(message)
    this.window = window
    this.at = at
  }
}
