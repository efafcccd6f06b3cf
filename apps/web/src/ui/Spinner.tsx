/** Something is on its way; the words are for a screen reader. */
export const Spinner = ({ label = "working" }: { readonly label?: string }) => (
  <>
    <span class="spinner" aria-hidden="true" />
    <span class="visually-hidden">{label}</span>
  </>
)
