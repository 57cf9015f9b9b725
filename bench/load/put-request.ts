import { urlOf } from '../stock/blogs.ts'

/** A PUT as a connection that stays open sends it, head and body. */
export function putRequest(path: readonly string[], value: unknown): string {
  const body = JSON.stringify(value)
  return `PUT ${urlOf(path)} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}
