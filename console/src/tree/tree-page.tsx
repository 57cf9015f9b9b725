import type { PageProps } from '../shell/page.ts'

/** The tree of one application. */
export function TreePage({ application, rest }: PageProps) {
  return (
    <p>
      {application} /{rest.join('/')}
    </p>
  )
}
