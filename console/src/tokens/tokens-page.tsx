import type { PageProps } from '../shell/page.ts'
import { DecodeToken } from './decode-token.tsx'
import { MakeToken } from './make-token.tsx'

/** Makes tokens for users of an application, and says what is in one. */
export function TokensPage({ application }: PageProps) {
  return (
    <>
      <MakeToken application={application} />
      <DecodeToken application={application} />
    </>
  )
}
