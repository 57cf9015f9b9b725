import type { Exchange } from '../exchange.ts'

/** Longest value of the header, in characters: clients and proxies have limits of their own. */
const LONGEST = 4096

/** Collects the trace of the rules for the reply. @see docs/reference/protocol.md#denials */
export function collectTrace(exchange: Exchange): void {
  const trace = new Set<string>()
  exchange.trace = trace
  exchange.onTrace = (lines) => {
    for (const line of lines) trace.add(line)
  }
}

/** Adds the collected trace to a reply or refusal. */
export function addTrace(trace: ReadonlySet<string>, reply: Response): void {
  if (trace.size > 0) reply.headers.set('X-Firebase-Auth-Debug', headerText([...trace].join('; ')))
}

/** A header holds plain characters only. */
function headerText(text: string): string {
  const plain = text.replace(
    /[^\u0020-\u007e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return plain.length > LONGEST ? `${plain.slice(0, LONGEST - 3)}...` : plain
}
