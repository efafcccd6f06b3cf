/** The ghost of BooCode, in the accent. It says nothing to a screen reader. */
export const Ghost = ({ width }: { readonly width: number }) => (
  <svg class="ghost" width={width} height={width * 1.1} viewBox="0 0 20 22" fill="currentColor" aria-hidden="true">
    <path d="M10 0C4.5 0 1 4 1 9.5V21c0 .8.8 1.2 1.4.7L5 19.5l2.200 2c.4.4 1 .4 1.400 0l1.400-1.400 1.400 1.400c.4.4 1 .4 1.400 0l2.200-2 2.600 2.200c.6.5 1.400.1 1.400-.7V9.500C19 4 15.500 0 10 0Z" />
    <circle class="ghost-eye" cx="7" cy="9" r="1.8" />
    <circle class="ghost-eye" cx="13" cy="9" r="1.8" />
  </svg>
)
