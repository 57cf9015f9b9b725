/**
 * The listener alone: it keeps what it is sent in a map, checks nothing and bounds nothing. What hostile clients do to
 * an honest one here they do to it whatever stands behind the listener.
 */
import { listen } from './listener.ts'

if (import.meta.main) {
  const texts = new Map<string, string>()
  await listen((request) => {
    const { pathname } = new URL(request.url)
    if (request.method !== 'PUT') return new Response(texts.get(pathname) ?? 'null')
    return request.text().then((text) => {
      texts.set(pathname, text)
      return new Response(text)
    })
  })
}
