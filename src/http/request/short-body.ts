import type { DholeError } from '../../error.ts'

/** Longest body that usually comes together with the head of its request, in bytes. */
export const SHORT_BODY_BYTES = 16 * 1024

/** A body that has not come yet. */
interface Arriving {
  isOver: boolean
  readonly onLate: () => void
}

let arriving: Arriving[] = []

/**
 * Reads a body of at most `SHORT_BODY_BYTES`. Nearly all of them come in the turn of the event loop in which their
 * request comes. One that does not is watched from the next turn on.
 * @param watch watches a late body, and is given what ends the wait for it; returns what ends the watching
 * @throws what `watch` stopped it with, or the failure of the connection
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
        // It was stopped at once.
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
