import { Findings } from './findings.tsx'
import { Graphs } from './graphs.tsx'
import { OpenApplications } from './open-applications.tsx'
import { Requests } from './requests.tsx'
import { Status } from './status.tsx'

/** How the server is: health, findings, the last hour, and requests. */
export function HomePage() {
  return (
    <>
      <OpenApplications />
      <Status />
      <Findings />
      <Graphs />
      <Requests />
    </>
  )
}
