import type { DholeError } from '../../error.ts'

/** Longest body that usually arrives together with the head of its request, in bytes. */
export const SHORT_BODY_BYTES = 16 * 1024

/** A body that has not arrived yet. */
interface Arriving {
  isOver: boolean
  readonly onLate: () => void
}

let arriving: Arriving[] = []

/**
 * Reads a body of at most `SHORT_BODY_BYTES`. Nearly all arrive in the same turn of the event loop as their request; a
 * body that does not is watched from the next turn on.
 * @param watch called for a late body with a function that aborts it; returns a function that ends the watch
 * @throws the reason of the abort, or the failure of the connection
 */
export function readShortBody(
  request: Request,
  watch: (stop: (reason: DholeError) => void) => () => void,
): Promise<Uint8Array> {
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
        end()
        resolve(bytes)
      },
      (cause) => {
        end()
        reject(cause)
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
