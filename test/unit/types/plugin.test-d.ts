import { expectTypeOf } from 'bun:test'
import { Elysia, t } from 'elysia'
import { type DholeOptions, dhole } from '../../../src/index.ts'

/** Never run: the compiler is the test. */
export function pluginKeepsTheTypesOfItsHost(): void {
  const alone = new Elysia()
    .decorate('clock', () => 7)
    .get('/health', () => ({ ok: true as const }))
    .post('/orders/:id', ({ params, body }) => ({ id: params.id, amount: body.amount }), {
      body: t.Object({ amount: t.Number() }),
    })
  const host = alone.use(dhole()).get('/late', ({ clock }) => clock())

  type Routes = (typeof host)['~Routes']
  expectTypeOf<Routes['health']['get']['response'][200]>().toEqualTypeOf<{ ok: true }>()
  expectTypeOf<Routes['orders'][':id']['post']['body']>().toEqualTypeOf<{ amount: number }>()
  expectTypeOf<Routes['orders'][':id']['post']['response'][200]>().toEqualTypeOf<{ id: string; amount: number }>()
  expectTypeOf<Routes['late']['get']['response'][200]>().toEqualTypeOf<7>()
  expectTypeOf<keyof Routes>().toEqualTypeOf<'health' | 'orders' | 'late'>()
  // @ts-expect-error no such route
  type _None = Routes['nowhere']
}

export function optionsAreTyped(): void {
  expectTypeOf<Parameters<typeof dhole>[0]>().toEqualTypeOf<DholeOptions | undefined>()
  dhole({ prefix: '/tree', applications: { app: { open: true, secret: 'long enough a secret' } }, trustProxy: [] })
  // @ts-expect-error a number is no folder
  dhole({ dataDir: 7 })
  // @ts-expect-error no such option
  dhole({ dataDri: '/data' })
  // @ts-expect-error no such option of an application
  dhole({ applications: { app: { opne: true } } })
  // @ts-expect-error no such limit
  dhole({ limits: { maxDepth: 7 } })
}
