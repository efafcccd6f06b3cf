// Before the first paint, so that a person who chose the other theme never sees a flash of this one.
try {
  const theme = localStorage.getItem("boocode.theme")
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme
} catch {
  // A browser that keeps nothing for this page shows what the system prefers.
}
