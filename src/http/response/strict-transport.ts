import type { Awaitable } from '../../scheduling/awaitable.ts'

/** An answer that tells browsers to use TLS from now on. @param value of the header, such as `max-age=31536000` */
export function withStrictTransport(reply: Awaitable<Response>, value: string): Awaitable<Response> {
  const add = (answered: Response) => {
    answered.headers.set('Strict-Transport-Security', value)
    return answered
  }
  return reply instanceof Promise ? reply.then(add) : add(reply)
}
