import type { Application } from '../../applications/application.ts'
import type { ApplicationChoice } from '../../applications/applications.ts'
import { Stay } from '../../applications/stay.ts'
import type { Awaitable } from '../../scheduling/awaitable.ts'
import type { Answer, Exchange } from '../exchange.ts'
import type { Target } from '../url/target.ts'

/**
 * An answer that needs an application: counts the request, opens the application, and keeps it open until the reply is
 * made, except while a body is awaited.
 * @param nameOf which application a target names
 */
export function withApplication(nameOf: (target: Target) => ApplicationChoice, answer: Answer): Answer {
  const use = (exchange: Exchange): Awaitable<Response> => {
    const { application, limits } = exchange
    if (exchange.mayHaveBody) return useBody(exchange, application, answer)
    const reply = limits.withinApplication(application.id, exchange, answer)
    return reply instanceof Promise ? reply.finally(application.hold()) : reply
  }
  const choose = (exchange: Exchange): Awaitable<Response> => {
    const chosen = exchange.service.applications.choose(nameOf(exchange.target))
    if (!(chosen instanceof Promise)) {
      exchange.choose(chosen)
      return use(exchange)
    }
    return chosen.then((application) => {
      exchange.choose(application)
      return use(exchange)
    })
  }
  return (exchange) => exchange.limits.within(exchange, choose)
}

async function useBody(exchange: Exchange, application: Application, answer: Answer): Promise<Response> {
  const stay = new Stay(exchange.service.applications, application)
  exchange.stay = stay
  try {
    return await exchange.limits.withinApplication(application.id, exchange, answer)
  } finally {
    stay.end()
  }
}
