import { effect, signal } from '@preact/signals'

/** `system` follows the setting of the operating system. */
export type Theme = 'system' | 'light' | 'dark'

const KEPT = 'dhole-theme'

/** The chosen theme; kept in the browser. */
export const theme = signal<Theme>(keptTheme())

function keptTheme(): Theme {
  try {
    const kept = localStorage.getItem(KEPT)
    return kept === 'light' || kept === 'dark' ? kept : 'system'
  } catch {
    return 'system'
  }
}

/** Shows the chosen theme from now on. */
export function startTheme(): void {
  effect(() => {
    document.documentElement.dataset['theme'] = theme.value
    try {
      localStorage.setItem(KEPT, theme.value)
    } catch {
      // Without storage the choice lasts as long as the page.
    }
  })
}
