import type { Distribution } from './distribution.ts'

/** Value of the header `Content-Type`. */
export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

type Labels = Readonly<Record<string, string | number>>
/** One value, or values by labels; none prints the description alone. */
type Values = number | Iterable<readonly [Labels, number]>

/** Prints one metric, with the values of this moment. */
export type Metric = () => Promise<string>

/**
 * A metric whose values are read when it is printed.
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */
export function metric(
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  read: () => Values | Promise<Values>,
): Metric {
  return async () => {
    const found = await read()
    const values = typeof found === 'number' ? [[{}, found] as const] : [...found]
    return textOf(
      type,
      name,
      help,
      values.map(([labels, value]) => lineOf(name, labels, value)),
    )
  }
}

/** A histogram, by labels if there are several. */
export function histogram(name: string, help: string, read: () => Iterable<readonly [Labels, Distribution]>): Metric {
  return async () => {
    const lines = [...read()].flatMap(([labels, distribution]) => linesOf(name, labels, distribution))
    return textOf('histogram', name, help, lines)
  }
}

/** Values up to each bound, all values, their sum and their number. */
function linesOf(name: string, labels: Labels, distribution: Distribution): readonly string[] {
  const counts = distribution.cumulative()
  const bounds = [...distribution.bounds, '+Inf']
  return [
    ...bounds.map((le, at) => lineOf(`${name}_bucket`, { ...labels, le }, counts[at] ?? 0)),
    lineOf(`${name}_sum`, labels, distribution.sum),
    lineOf(`${name}_count`, labels, counts.at(-1) ?? 0),
  ]
}

function textOf(type: string, name: string, help: string, lines: readonly string[]): string {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join('\n')
}

function lineOf(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}=${JSON.stringify(String(text))}`)
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`
}
