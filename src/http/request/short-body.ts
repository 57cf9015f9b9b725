import type { DholeError } from '../../error.ts'

/** Longest body that usually arrives together with the head of its request, in bytes. */
export const SHORT_BODY_BYTES = 16 * 1024

/** A body that has not arrived yet. */
interface Arriving {
  isOver: boolean
  readonly onLate: () => void
}

let arriving: Arriving[] = []

/** What is done with a body. */
interface BodyUse<T> {
  /** Called for a late body with a function that aborts it; returns a function that ends the watch. */
  readonly watch: (stop: (reason: DholeError) => void) => () => void
  /** Called with the whole body. */
  readonly use: (bytes: Uint8Array) => Promise<T>
  /** The error of a connection that failed. */
  readonly failed: (cause: unknown) => DholeError
}

/**
 * Reads and uses a body of at most `SHORT_BODY_BYTES`. Nearly all arrive in the same turn of the event loop as their
 * request; a body that does not is watched from the next turn on.
 * @throws the reason of the abort, the failure of the connection, and what `use` throws
 */
export function readShortBody<T>(request: Request, { watch, use, failed }: BodyUse<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let unwatch: (() => void) | undefined
    const end = () => {
      body.isOver = true
      unwatch?.()
    }
    const body: Arriving = {
      isOver: false,
      onLate: () => {
        unwatch = watch((reason) => {
          end()
          reject(reason)
        })
        // It was aborted at once.
        if (body.isOver) unwatch()
      },
    }
    lookNextTurn(body)
    request.bytes().then(
      (bytes) => {
        const isAborted = body.isOver
        end()
        if (isAborted) return
        try {
          resolve(use(bytes))
        } catch (thrown) {
          reject(thrown)
        }
      },
      (cause) => {
        end()
        reject(failed(cause))
      },
    )
  })
}

function lookNextTurn(body: Arriving): void {
  if (arriving.push(body) > 1) return
  setImmediate(() => {
    const looked = arriving
    arriving = []
    for (const { isOver, onLate } of looked) if (!isOver) onLate()
  })
}
