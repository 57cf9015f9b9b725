import type { PageProps } from '../shell/page.ts'
import { hrefOf } from '../shell/router.ts'
import { session } from '../shell/session.ts'
import { ApplicationDetails } from './application-details.tsx'
import { ApplicationList } from './application-list.tsx'

/** All applications, or one of them: the session of an application shows only that one. */
export function ApplicationsPage({ rest }: PageProps) {
  const own = session.value?.application
  const [chosen] = rest
  if (own !== undefined) return <ApplicationDetails id={own} />
  if (chosen === undefined) return <ApplicationList />
  return (
    <>
      <p>
        <a href={hrefOf('applications')}>All applications</a>
      </p>
      <ApplicationDetails key={chosen} id={chosen} />
    </>
  )
}
