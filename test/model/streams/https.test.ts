import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { openSource } from '../../support/event-source.ts'
import { startInProcess } from '../../support/https-server.ts'
import { runsInLanes } from '../../support/lane.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { anyStreamPlan, type StreamPlan } from './plan.ts'
import { Scene } from './scene.ts'
import { httpsService, withoutKeys } from './service.ts'

const RUNS = runsInLanes(2, 6)

/** A bound in a URL has no key. */
function overHttp(plan: StreamPlan): StreamPlan {
  const specs = plan.specs.map((spec) => ({ ...spec, query: spec.query && withoutKeys(spec.query) }))
  const steps = plan.steps.map((step) => {
    if (step.kind === 'restart') return step
    const actions = step.actions.map((action) => {
      if (action.kind !== 'open') return action
      const { spec } = action
      return { ...action, spec: { ...spec, query: spec.query && withoutKeys(spec.query) } }
    })
    return { ...step, actions }
  })
  return { ...plan, specs, steps }
}

describe.each([
  ['HTTP/1.1', false],
  ['HTTP/2', true],
] as const)('over %s', (_, http2) => {
  // fast-check prints seed, path and the shrunk plan of a failure: pass `{ seed, path }` to run it again.
  test('whoever reads a stream has what GET answers', async () => {
    await fc.assert(
      fc.asyncProperty(anyStreamPlan.map(overHttp), async (plan) => {
        await using dir = await tempDir()
        const { shortList, maxWaiting } = plan
        const storage = { inlineLength: 30, shortList, maxChanges: 8 }
        const options = { dir: dir.path, storage, streams: { maxWaiting } }
        const scene = await Scene.begin(() => httpsService(options, http2))
        try {
          await scene.play(plan)
        } finally {
          await scene.close()
        }
      }),
      { numRuns: RUNS },
    )
  }, 900_000)

  test('who has missed nothing is answered before anything happens', async () => {
    await using server = await startInProcess({ streams: { keepAliveMs: 3_600_000 } })
    await server.call('PUT', '/a.json', { body: '1' })
    await using first = await openSource(server, '/a.json?resume=true', { http2 })
    const id = (await first.nextMessage())?.id ?? ''
    await using resumed = await openSource(server, '/a.json', { http2, headers: { 'Last-Event-ID': id } })
    await server.call('PUT', '/a.json', { body: '2' })
    expect(await resumed.next()).toEqual({ kind: 'put', path: '/', data: 2 })
  })
})
