import type { ComponentType } from 'preact'
import type { PageProps } from '../shell/page.ts'
import { hrefOf } from '../shell/router.ts'
import { Batches } from './batches.tsx'
import { CarrierCodes } from './carrier-codes.tsx'
import { MessageSearch } from './message-search.tsx'
import { SignatureCheck } from './signature-check.tsx'

interface Part {
  readonly title: string
  readonly draw: ComponentType<PartProps>
}

/** What a part of the page gets. */
export interface PartProps {
  readonly application: string
  readonly search: URLSearchParams
}

const PARTS: Readonly<Record<string, Part>> = {
  batches: { title: 'Batches', draw: Batches },
  search: { title: 'Search', draw: MessageSearch },
  codes: { title: 'Carrier codes', draw: CarrierCodes },
  signature: { title: 'Signature checker', draw: SignatureCheck },
}

/** The text messages of an application. */
export function MessagesPage({ application, rest, search }: PageProps) {
  const name = rest[0] ?? 'batches'
  const part = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined
  const Draw = part?.draw
  return (
    <>
      <nav class="parts" aria-label="Text messages">
        {Object.entries(PARTS).map(([key, { title }]) => (
          <a key={key} href={hrefOf('messages', [application, key])} aria-current={key === name ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      {Draw === undefined ? <p>There is no such page.</p> : <Draw application={application} search={search} />}
    </>
  )
}
