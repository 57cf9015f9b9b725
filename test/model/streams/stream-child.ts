import { heapStats } from 'bun:jsc'
import { readdirSync } from 'node:fs'
import { Elysia } from 'elysia'
import { Hub } from '../../../src/hub/hub.ts'
import { type DholeOptions, dhole } from '../../../src/index.ts'
import type { Certificate } from '../../../src/server/tls/certificate.ts'
import { LISTENER_BODY_BYTES } from '../../support/https-server.ts'

/** What the parent asks of this process, which serves the plugin over HTTPS until it is killed. */
export type ChildRequest =
  | { readonly kind: 'serve'; readonly options: DholeOptions; readonly tls: Certificate }
  | { readonly kind: 'look' }
  | { readonly kind: 'forget-peak' }

/** What the process holds. */
export interface Look {
  readonly kind: 'look'
  /** Memory in bytes, after what is garbage has gone. */
  readonly rss: number
  /** Greatest memory seen since it was forgotten, in bytes. */
  readonly peak: number
  readonly descriptors: number
  /** Subscribers of all hubs, and nodes that they watch. */
  readonly subscribers: number
  readonly watched: number
  /** Functions and their scopes on the heap. */
  readonly closures: number
}

export type ChildAnswer = { readonly kind: 'listening'; readonly port: number } | Look | { readonly kind: 'forgotten' }

/** Time between two looks at the memory, in milliseconds. */
const LOOK_MS = 5

/** Every hub that anybody has subscribed to: nothing outside has a way to them. */
const hubs = new Set<Hub>()

function collectHubs(): void {
  const { subscribe } = Hub.prototype
  Hub.prototype.subscribe = function (this: Hub, ...how: Parameters<Hub['subscribe']>) {
    hubs.add(this)
    return subscribe.apply(this, how)
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function closures(): number {
  const { Function: functions = 0, JSLexicalEnvironment: scopes = 0 } = heapStats().objectTypeCounts
  return functions + scopes
}

if (import.meta.main) {
  collectHubs()
  let peak = 0
  setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, LOOK_MS)
  const answerTo = (request: ChildRequest): ChildAnswer => {
    switch (request.kind) {
      case 'serve': {
        const app = new Elysia({ handler: { standardHostname: false } }).use(dhole(request.options)).listen({
          hostname: '127.0.0.1',
          port: 0,
          tls: request.tls,
          http2: true,
          maxRequestBodySize: LISTENER_BODY_BYTES,
        })
        return { kind: 'listening', port: app.server?.port ?? 0 }
      }
      case 'forget-peak':
        peak = 0
        return { kind: 'forgotten' }
      case 'look':
        Bun.gc(true)
        return {
          kind: 'look',
          rss: process.memoryUsage.rss(),
          peak,
          descriptors: readdirSync('/dev/fd').length,
          subscribers: sum([...hubs].map((hub) => hub.size)),
          watched: sum([...hubs].map((hub) => hub.watchedBelow([], true).length)),
          closures: closures(),
        }
      default:
        return request satisfies never
    }
  }
  process.on('message', (request: ChildRequest) => process.send?.(answerTo(request)))
}
