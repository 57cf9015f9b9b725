import type { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Distribution } from '../../monitor/distribution.ts'

type Labels = Readonly<Record<string, string>>
type Named = readonly [name: string, help: string]

interface Classes {
  readonly Counter: typeof Counter
  readonly Gauge: typeof Gauge
  readonly Histogram: typeof Histogram
  readonly registry: Registry
}

/** A page of metrics. Values are read when the page is printed. */
export class Prometheus {
  readonly #classes: Classes

  private constructor(classes: Classes) {
    this.#classes = classes
  }

  /** Loads the library on demand, in parts, so that the event loop is not held. */
  static async load(): Promise<Prometheus> {
    const { default: Registry } = await import('prom-client/lib/registry.js')
    await new Promise(setImmediate)
    const { default: Counter } = await import('prom-client/lib/counter.js')
    const { default: Gauge } = await import('prom-client/lib/gauge.js')
    await new Promise(setImmediate)
    const { default: Histogram } = await import('prom-client/lib/histogram.js')
    return new Prometheus({ Counter, Gauge, Histogram, registry: new Registry() })
  }

  get contentType(): string {
    return this.#classes.registry.contentType
  }

  print(): Promise<string> {
    return this.#classes.registry.metrics()
  }

  /** A counter. */
  total([name, help]: Named, read: () => number): void {
    this.totals([name, help], [], () => [[{}, read()]])
  }

  /** Counters by labels. */
  totals([name, help]: Named, labelNames: string[], read: () => Iterable<readonly [Labels, number]>): void {
    const { Counter, registry } = this.#classes
    const collect = function (this: Counter<string>): void {
      this.reset()
      for (const [labels, value] of read()) this.inc(labels, value)
    }
    new Counter({ name, help, labelNames, registers: [registry], collect })
  }

  /** Current values by labels; may be empty. */
  gauges(
    [name, help]: Named,
    labelNames: string[],
    read: () => Iterable<readonly [Labels, number]> | Promise<Iterable<readonly [Labels, number]>>,
  ): void {
    const { Gauge, registry } = this.#classes
    const collect = async function (this: Gauge<string>): Promise<void> {
      const values = await read()
      this.reset()
      if (labelNames.length === 0) this.remove()
      for (const [labels, value] of values) this.set(labels, value)
    }
    new Gauge({ name, help, labelNames, registers: [registry], collect })
  }

  /** Histograms, by the value of one label if there are several. */
  distributions(
    [name, help]: Named,
    label: string | undefined,
    read: () => Iterable<readonly [value: string, distribution: Distribution]>,
  ): void {
    const { Histogram, registry } = this.#classes
    const histogram = new Histogram({
      name,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [registry],
    })
    const values = () =>
      [...read()].flatMap(([value, distribution]) =>
        linesOf(name, label === undefined ? {} : { [label]: value }, distribution),
      )
    // prom-client calls this function when it prints the page.
    const getForPromString = async () => ({ name, help, type: 'histogram', values: values(), aggregator: 'sum' })
    Object.assign(histogram, { getForPromString })
  }
}

/** Lines of one histogram: values up to each bound, all values, and their sum. */
function linesOf(name: string, labels: Labels, distribution: Distribution) {
  const counts = distribution.cumulative()
  const count = counts.at(-1) ?? 0
  const buckets = distribution.bounds.map((le, at) => ({
    metricName: `${name}_bucket`,
    labels: { ...labels, le },
    value: counts[at] ?? 0,
  }))
  return [
    ...buckets,
    { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
    { metricName: `${name}_sum`, labels, value: distribution.sum },
    { metricName: `${name}_count`, labels, value: count },
  ]
}
