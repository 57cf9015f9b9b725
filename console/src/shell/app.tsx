import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { PAGES } from '../pages.ts'
import { applications, chosenApplication, loadApplications, rememberApplication } from './applications.ts'
import { Banner } from './banner.tsx'
import { wordsOf } from './call-error.ts'
import { isReachable } from './connection.ts'
import { Dialogs } from './dialogs.tsx'
import { Login } from './login.tsx'
import { Navigation, pageHref, pagesOfSession } from './navigation.tsx'
import type { PageDefinition, PageProps } from './page.ts'
import { navigate, place } from './router.ts'
import { resumeSession, session } from './session.ts'
import { Toasts } from './toasts.tsx'

/** How often an unreachable server is asked again, in ms. */
const RETRY_MS = 2000

/** The whole console. */
export function App() {
  return (
    <>
      <Content />
      <Dialogs />
      <Toasts />
    </>
  )
}

function Content() {
  const error = useSignal<string | undefined>(undefined)
  const isKnown = session.value !== undefined
  useEffect(() => retried(resumeSession, error), [])
  useEffect(() => {
    if (session.value) return retried(loadApplications, error)
    applications.value = undefined
    return undefined
  }, [session.value])
  if (!isKnown) return <Waiting error={error.value} />
  if (session.value === null) return <Login />
  return (
    <>
      <a class="skip" href="#content">
        Skip to the page
      </a>
      <Navigation />
      {!isReachable.value && (
        <p class="banner" role="status">
          The server cannot be reached. Trying again…
        </p>
      )}
      <Banner />
      {applications.value === undefined ? <Waiting error={error.value} /> : <CurrentPage />}
    </>
  )
}

/** Does something until it succeeds. @returns ends it */
function retried(attempt: () => Promise<void>, error: { value: string | undefined }): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOver = false
  const run = async () => {
    try {
      await attempt()
      error.value = undefined
    } catch (thrown) {
      error.value = wordsOf(thrown)
      if (!isOver) timer = setTimeout(() => void run(), RETRY_MS)
    }
  }
  void run()
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

function Waiting({ error }: { error: string | undefined }) {
  return (
    <main class="waiting">
      {error === undefined ? <p role="status">Loading…</p> : <p role="alert">{error} Trying again…</p>}
    </main>
  )
}

function CurrentPage() {
  const allowed = pagesOfSession()
  const { page: name, rest } = place.value
  const definition = allowed.find((page) => page.name === name)
  const first = allowed[0]
  useEffect(() => {
    document.title = definition === undefined ? 'Dhole console' : `${definition.title} – Dhole`
    // An application's session has no home page, and the address of an application's page may lack its name.
    if (definition === undefined && name === '' && first !== undefined) navigate(pageHref(first), { replace: true })
    else if (definition?.isOfApplication === true && rest[0] === undefined) {
      navigate(pageHref(definition), { replace: true })
    }
  })
  if (definition === undefined) {
    const isThere = PAGES.some((page) => page.name === name)
    return (
      <main id="content">
        <h1>{isThere ? 'Not for this session' : 'No such page'}</h1>
        <p>{isThere ? 'Only the operator may open this page.' : 'The navigation above names every page.'}</p>
      </main>
    )
  }
  if (!definition.isOfApplication) return <LoadedPage key={name} definition={definition} application="" rest={rest} />
  const [application, ...below] = rest
  if (application === undefined) return <Waiting error={undefined} />
  if (applications.value?.includes(application) !== true) {
    return (
      <main id="content">
        <h1>No such application</h1>
        <p>There is no application “{application}”, or this session may not open it.</p>
      </main>
    )
  }
  return <LoadedPage key={`${name}/${application}`} definition={definition} application={application} rest={below} />
}

interface LoadedPageProps {
  readonly definition: PageDefinition
  readonly application: string
  readonly rest: readonly string[]
}

function LoadedPage({ definition, application, rest }: LoadedPageProps) {
  const component = useSignal<{ readonly draw: ComponentType<PageProps> } | undefined>(undefined)
  const error = useSignal<string | undefined>(undefined)
  useEffect(() => {
    if (application !== '' && application !== chosenApplication.peek()) rememberApplication(application)
    return retried(async () => {
      component.value = { draw: await definition.load() }
    }, error)
  }, [])
  const Page = component.value?.draw
  if (Page === undefined) return <Waiting error={error.value} />
  return (
    <main id="content" tabIndex={-1}>
      <h1>{definition.title}</h1>
      <Page application={application} rest={rest} search={place.value.search} />
    </main>
  )
}
