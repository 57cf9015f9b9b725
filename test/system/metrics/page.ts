/** One metric of a page. */
export interface Family {
  readonly help: string
  readonly type: string
  /** Values by the name and labels of a line, as it stands there. */
  readonly samples: ReadonlyMap<string, number>
}

const HELP = /^# HELP ([a-z_]+) (\S.*)$/
const TYPE = /^# TYPE ([a-z_]+) (counter|gauge|histogram)$/
const SAMPLE = /^([a-z_]+)((?:\{[a-z_]+="[^"\\\n]*"(?:,[a-z_]+="[^"\\\n]*")*\})?) (\S+)$/

/**
 * Reads a page of metrics as strictly as Prometheus' own check does: every line belongs to the metric before it, none
 * is there twice, and the buckets of a histogram add up.
 * @throws Error that names the line
 */
export function parsePage(text: string): ReadonlyMap<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line has no end')
  const families = new Map<string, Family & { readonly samples: Map<string, number> }>()
  let help: readonly string[] | undefined
  let name = ''
  for (const line of text.split('\n')) {
    if (line === '') continue
    const helped = HELP.exec(line)
    const typed = TYPE.exec(line)
    if (helped !== null) help = helped
    else if (typed !== null) {
      name = typed[1] ?? ''
      if (help?.[1] !== name || families.has(name)) throw new Error(`no place for this: ${line}`)
      families.set(name, { help: help[2] ?? '', type: typed[2] ?? '', samples: new Map() })
    } else addSample(families.get(name), name, line)
  }
  for (const [family, { type, samples }] of families) if (type === 'histogram') checkHistogram(family, samples)
  return families
}

function addSample(
  family: (Family & { readonly samples: Map<string, number> }) | undefined,
  name: string,
  line: string,
) {
  const [, full = '', labels = '', value = ''] = SAMPLE.exec(line) ?? []
  const suffix = full.slice(name.length)
  const known = family?.type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
  if (family === undefined || !full.startsWith(name) || !known.includes(suffix)) throw new Error(`stray line: ${line}`)
  if (family.samples.has(full + labels)) throw new Error(`twice: ${line}`)
  if (value === '' || Number.isNaN(Number(value))) throw new Error(`no number: ${line}`)
  family.samples.set(full + labels, Number(value))
}

function checkHistogram(name: string, samples: ReadonlyMap<string, number>): void {
  const below = new Map<string, { last: number; le: number }>()
  for (const [line, value] of samples) {
    if (!line.startsWith(`${name}_bucket`)) continue
    const le = Number((/le="([^"]+)"/.exec(line)?.[1] ?? '').replace('+Inf', 'Infinity'))
    const series = line
      .replace(/,?le="[^"]+"/, '')
      .replace('_bucket', '_count')
      .replace('{}', '')
    const before = below.get(series) ?? { last: 0, le: Number.NEGATIVE_INFINITY }
    if (value < before.last || le <= before.le) throw new Error(`buckets in no order: ${line}`)
    below.set(series, { last: value, le })
  }
  for (const [series, { last, le }] of below) {
    if (le !== Number.POSITIVE_INFINITY || samples.get(series) !== last) throw new Error(`does not add up: ${series}`)
  }
  if (below.size === 0) throw new Error(`no buckets: ${name}`)
}

/** All values of a page by name and labels. */
export function samplesOf(text: string): ReadonlyMap<string, number> {
  return new Map([...parsePage(text).values()].flatMap(({ samples }) => [...samples]))
}
