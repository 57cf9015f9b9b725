import { computed, signal } from '@preact/signals'
import { consolePath, consoleSegments } from './server-paths.ts'

/** What the address names. */
export interface Place {
  /** First segment; '' is the home page. */
  readonly page: string
  /** Segments behind the page, unescaped: for pages of an application its id, then the page's own. */
  readonly rest: readonly string[]
  readonly search: URLSearchParams
}

const address = signal(location.href)

/** The place that is shown now. */
export const place = computed<Place>(() => {
  const url = new URL(address.value)
  const [page = '', ...rest] = consoleSegments(url.pathname) ?? []
  return { page, rest, search: url.searchParams }
})

/** Address of a page. @param rest segments behind the page, not escaped @param search parameters, without empty ones */
export function hrefOf(
  page: string,
  rest: readonly string[] = [],
  search: Readonly<Record<string, string>> = {},
): string {
  const given = Object.entries(search).filter(([, value]) => value !== '')
  const query = new URLSearchParams(given).toString()
  const path = consolePath(page === '' ? [] : [page, ...rest])
  return query === '' ? path : `${path}?${query}`
}

/** Goes to an address of `hrefOf`. @param options.replace puts it in the place of the present entry of the history */
export function navigate(href: string, options: { readonly replace?: boolean } = {}): void {
  const url = new URL(href, location.href)
  if (url.href === location.href) return
  if (options.replace === true) history.replaceState(null, '', url)
  else history.pushState(null, '', url)
  address.value = url.href
}

/** Makes the links of all pages and the buttons of the browser change the place without loading the page again. */
export function startRouter(): void {
  addEventListener('popstate', () => {
    address.value = location.href
  })
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (link === null || link.target !== '' || link.hasAttribute('download')) return
    const url = new URL(link.href, location.href)
    if (url.origin !== location.origin || consoleSegments(url.pathname) === undefined) return
    if (url.pathname.includes('/console/assets/')) return
    event.preventDefault()
    navigate(url.href)
  })
}
