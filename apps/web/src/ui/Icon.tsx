/** Line icons, drawn for this page. An icon says nothing to a screen reader: the control it is in has the words. */
const SHAPES = {
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  chat: "M21 12a8 8 0 0 1-8 8H4l2.2-2.8A8 8 0 1 1 21 12z",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM20 20l-4-4",
  server: "M4 5h16v6H4zM4 13h16v6H4zM7.5 8h.01M7.5 16h.01",
  code: "M9 7l-5 5 5 5M15 7l5 5-5 5",
  tool: "M14.5 6.5a4 4 0 0 1 5 5l-8.8 8.8a2 2 0 0 1-2.8 0l-1.2-1.2a2 2 0 0 1 0-2.8zM5 5l4 4M4 8l4-4",
  agent: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20c.8-3.6 3.8-5.5 7.5-5.5s6.700 1.900 7.500 5.500",
  settings: "M4 7h10M18 7h2M4 17h2M10 17h10M16 9a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM8 19a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6L6 18",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  check: "M5 12.500l4.500 4.500L19 7.500",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  edit: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  retry: "M20 11a8 8 0 1 0-1.500 6M20 5v6h-6",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10 11v5M14 11v5",
  more: "M6 12h.01M12 12h.01M18 12h.01",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  undo: "M8 5L4 9l4 4M4 9h10a6 6 0 0 1 0 12h-3",
  upload: "M12 16V5M7 9l5-5 5 5M5 20h14",
  image: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15 9h.01",
  file: "M6 3h8l4 4v14H6zM14 3v5h4M9 12h6M9 16h6",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  sun:
    "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 3v2M12 19v2M3 12h2M19 12h2M5.600 5.600l1.400 1.400M17 17l1.400 1.400M18.400 5.600L17 7M7 17l-1.400 1.400",
  moon: "M20 14.500A8 8 0 1 1 9.500 4a6.500 6.500 0 0 0 10.500 10.500z",
  system: "M4 5h16v11H4zM9 20h6M12 16v4",
  down: "M6 9l6 6 6-6",
  left: "M14 6l-6 6 6 6",
  right: "M10 6l6 6-6 6",
  warning: "M12 4l9 16H3zM12 10v4M12 17h.01",
  keyboard: "M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M7 14h10",
  shield: "M12 3l8 3v6c0 4.500-3.300 7.700-8 9-4.700-1.300-8-4.500-8-9V6z",
  book: "M5 4h11a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3zM5 17a3 3 0 0 1 3-3h11",
  play: "M8 5l11 7-11 7z",
  clock: "M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM12 8v4l3 2",
  ask:
    "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM9.500 9.500a2.500 2.500 0 1 1 3.700 2.200c-.8.400-1.200 1-1.200 1.800M12 16.500h.01",
  login: "M14 4h5v16h-5M4 12h10M10 8l4 4-4 4",
  eye: "M3 12s3.500-6 9-6 9 6 9 6-3.500 6-9 6-9-6-9-6zM12 14.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5z",
  open: "M13 5h6v6M19 5l-8 8M17 14v5H5V7h5",
  pin: "M9 4h6l-1 6 3 3H7l3-3zM12 13v7",
  folder: "M4 6h6l2 2h8v11H4z",
  fork:
    "M7 8v8M7 20a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM7 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM17 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM17 8c0 5-10 3-10 8",
  microphone:
    "M12 4a2.5 2.5 0 0 1 2.500 2.500v5a2.500 2.500 0 0 1-5 0v-5A2.500 2.500 0 0 1 12 4zM6 11a6 6 0 0 0 12 0M12 17v4",
  speaker: "M4 10v4h3l5 4V6L7 10zM15.500 9.500a4 4 0 0 1 0 5M18 7a8 8 0 0 1 0 10",
  sidebar: "M4 5h16v14H4zM9 5v14",
  float: "M4 5h16v14H4zM12 12h6v5h-6z",
  power: "M12 4v8M7 7a7 7 0 1 0 10 0"
} as const

export type IconName = keyof typeof SHAPES

/** These point along the line, and turn round where it runs from right to left. */
const POINTING: ReadonlySet<IconName> = new Set(["left", "right", "login", "undo", "book"])

export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg
    class={POINTING.has(name) ? "icon-shape pointing" : "icon-shape"}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width={name === "more" ? 2.6 : 1.8}
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d={SHAPES[name]} />
  </svg>
)
