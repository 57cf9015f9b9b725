import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Fetched } from '../parts/fetched.tsx'
import { call } from '../shell/call.ts'
import { usePolled } from '../shell/polled.ts'
import { theme } from '../shell/theme.ts'
import type { DrawnGraph } from './draw-graph.ts'
import { GRAPHS, type GraphDefinition, type Hour, lastTexts } from './graph-definitions.ts'

/** A step of the server is as long: asking more often shows nothing new. */
const EVERY_MS = 10_000

/** The last hour of the server. */
export function Graphs() {
  const hour = usePolled((signal) => call('metrics-hour', {}, signal), [], EVERY_MS)
  return (
    <section aria-labelledby="graphs-title">
      <h2 id="graphs-title">The last hour</h2>
      <Fetched of={hour}>
        {(value) => (
          <div class="graphs">
            {GRAPHS.map((definition) => (
              <Graph key={definition.title} definition={definition} hour={value} />
            ))}
          </div>
        )}
      </Fetched>
    </section>
  )
}

interface GraphProps {
  readonly definition: GraphDefinition
  readonly hour: Hour
}

function Graph({ definition, hour }: GraphProps) {
  const place = useRef<HTMLDivElement>(null)
  const drawn = useRef<DrawnGraph | undefined>(undefined)
  const shown = useRef(hour)
  const isFailed = useSignal(false)
  shown.current = hour
  const chosenTheme = theme.value
  useEffect(() => {
    let isOver = false
    const draw = async () => {
      const { drawGraph } = await import('./draw-graph.ts')
      if (!isOver && place.current !== null) drawn.current = drawGraph(place.current, definition, shown.current)
    }
    draw().catch(() => {
      isFailed.value = true
    })
    return () => {
      isOver = true
      drawn.current?.end()
      drawn.current = undefined
    }
  }, [definition, chosenTheme])
  useEffect(() => drawn.current?.show(hour), [hour])
  const last = lastTexts(hour, definition)
  return (
    <figure class="graph">
      <figcaption>
        <strong>{definition.title}</strong>
        <small>
          {last.map((text, index) => (
            <span key={definition.lines[index]?.label} class={`line line-${index + 1}`}>
              {text}
            </span>
          ))}
        </small>
      </figcaption>
      <div ref={place} role="img" aria-label={`${definition.title}, the last hour; now ${last.join(', ')}`} />
      {isFailed.value && <small>The graph cannot be drawn: load the page again.</small>}
    </figure>
  )
}
