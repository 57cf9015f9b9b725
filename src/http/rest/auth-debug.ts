import type { Awaitable } from '../../scheduling/awaitable.ts'

/** Longest value of the header, in characters: clients and proxies have limits of their own. */
const LONGEST = 4096

/**
 * Has an answer, be it a refusal, tell which rules were looked at and what they said.
 * @param answer makes the answer; what it hands over is told
 * @param refusal the answer for what that throws
 * @see docs/reference/protocol.md#denials
 */
export async function withAuthDebug(
  answer: (onTrace: (lines: readonly string[]) => void) => Awaitable<Response>,
  refusal: (thrown: unknown) => Response,
): Promise<Response> {
  const told = new Set<string>()
  const tell = (lines: readonly string[]) => {
    for (const line of lines) told.add(line)
  }
  const reply = await answerOr(() => answer(tell), refusal)
  if (told.size > 0) reply.headers.set('X-Firebase-Auth-Debug', headerText([...told].join('; ')))
  return reply
}

async function answerOr(answer: () => Awaitable<Response>, refusal: (thrown: unknown) => Response): Promise<Response> {
  try {
    return await answer()
  } catch (thrown) {
    return refusal(thrown)
  }
}

/** A header holds plain characters only. */
function headerText(text: string): string {
  const plain = text.replace(
    /[^\u0020-\u007e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return plain.length > LONGEST ? `${plain.slice(0, LONGEST - 3)}...` : plain
}
