import { PAGES } from '../pages.ts'
import { applications, chosenApplication, rememberApplication } from './applications.ts'
import { confirm } from './dialogs.tsx'
import type { PageDefinition } from './page.ts'
import { hrefOf, navigate, place } from './router.ts'
import { logOut, session } from './session.ts'
import { type Theme, theme } from './theme.ts'
import { toastError } from './toasts.tsx'

/** Pages that the session may open. */
export function pagesOfSession(): readonly PageDefinition[] {
  const isOperator = session.value?.role === 'operator'
  return PAGES.filter(({ isForApplications }) => isOperator || isForApplications)
}

/** Address of a page, for the chosen application where it needs one. */
export function pageHref({ name, isOfApplication }: PageDefinition): string {
  return hrefOf(name, isOfApplication ? [chosenApplication.value] : [])
}

/** The bar of all pages: name, application, pages, theme, session. */
export function Navigation() {
  const current = place.value.page
  return (
    <header class="bar">
      <strong class="name">Dhole</strong>
      <ApplicationSwitch />
      <nav aria-label="Pages">
        {pagesOfSession().map((page) => (
          <a key={page.name} href={pageHref(page)} aria-current={page.name === current ? 'page' : undefined}>
            {page.title}
          </a>
        ))}
      </nav>
      <div class="own">
        <ThemeSwitch />
        <SessionMenu />
      </div>
    </header>
  )
}

function ApplicationSwitch() {
  const known = applications.value ?? []
  const choose = (id: string) => {
    rememberApplication(id)
    const page = PAGES.find(({ name }) => name === place.value.page)
    if (page?.isOfApplication === true) navigate(hrefOf(page.name, [id]))
  }
  return (
    <label class="switch">
      <span class="hidden">Application</span>
      <select value={chosenApplication.value} onChange={(event) => choose(event.currentTarget.value)}>
        {known.map((id) => (
          <option key={id} value={id}>
            {id}
          </option>
        ))}
      </select>
    </label>
  )
}

function ThemeSwitch() {
  return (
    <label class="switch">
      <span class="hidden">Theme</span>
      <select
        value={theme.value}
        onChange={(event) => {
          theme.value = event.currentTarget.value as Theme
        }}
      >
        <option value="system">System theme</option>
        <option value="light">Light theme</option>
        <option value="dark">Dark theme</option>
      </select>
    </label>
  )
}

function SessionMenu() {
  const leave = (everywhere: boolean) => logOut(everywhere).catch(toastError)
  const leaveEverywhere = async () => {
    const own = session.value?.application
    const whose = own === undefined ? 'the operator' : `“${own}”`
    const agreed = await confirm({
      title: 'Log out everywhere',
      text: `Every session of ${whose} ends, in all browsers.`,
      action: 'Log out everywhere',
    })
    if (agreed) await leave(true)
  }
  return (
    <>
      <button type="button" class="quiet" onClick={() => void leaveEverywhere()}>
        Log out everywhere
      </button>
      <button type="button" onClick={() => void leave(false)}>
        Log out
      </button>
    </>
  )
}
