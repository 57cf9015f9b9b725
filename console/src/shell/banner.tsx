import { chosenApplication, openApplications } from './applications.ts'

/** Says that every client may read and write the chosen application. */
export function Banner() {
  const application = chosenApplication.value
  if (!openApplications.value.includes(application)) return null
  return (
    <p class="banner warning" role="status">
      Open to everybody: every client that reaches this server may read and write “{application}”, because it has no
      rules.
    </p>
  )
}
