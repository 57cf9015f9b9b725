import { serverKind } from '../shell/applications.ts'
import { session } from '../shell/session.ts'
import { Findings } from './findings.tsx'
import { Graphs } from './graphs.tsx'
import { OpenApplications } from './open-applications.tsx'
import { Requests } from './requests.tsx'
import { Status } from './status.tsx'

/** How the server is: health, findings, the last hour, and requests. Who holds a super secret sees requests alone. */
export function HomePage() {
  if (session.value?.role !== 'operator') return <Requests />
  return (
    <>
      <OpenApplications />
      <Status />
      {serverKind.value !== 'host' && <Findings />}
      <Graphs />
      <Requests />
    </>
  )
}
