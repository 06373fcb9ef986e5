// viewer/icons.js -- line drawings, 24 by 24.
const paths = {
  play: "M8 5v14l11-7z", pause: "M7 5h3.5v14H7zM13.5 5H17v14h-3.5z", step: "M6 5l8 7-8 7zM17 5v14", reset: "M4 5v5h5M4.6 10a8 8 0 1 1-.4 4.5",
  mark: "M7 4h10v16l-5-4-5 4z", back: "M9 7L4 12l5 5M4 12h10a6 6 0 0 1 6 6", record: "M12 12m-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0",
  theme: "M12 4a8 8 0 1 0 8 8A6 6 0 0 1 12 4z", help: "M9.2 9a3 3 0 1 1 4.3 2.7c-1 .5-1.5 1.1-1.5 2.3M12 17.5v.1", panel: "M4 7h10M18 7h2M4 12h3M11 12h9M4 17h8M16 17h4M16 5v4M9 10v4M14 15v4",
  grab: "M8 12V6.5a1.5 1.5 0 0 1 3 0V11M11 10V5a1.5 1.5 0 0 1 3 0v6M14 10.5V7a1.5 1.5 0 0 1 3 0v7.5A5.5 5.5 0 0 1 11.5 20h-.6a5 5 0 0 1-4-2L4.3 14.2A1.5 1.5 0 0 1 6.7 12.4L8 14",
  push: "M3 12h12M11 7l5 5-5 5M20 5v14", pin: "M12 14v7M8 4h8l-1.2 6.2L17.5 14h-11l2.7-3.8z", heat: "M12 3c1 4 5 6 5 10.5a5 5 0 0 1-10 0C7 11 9 10 9 7.5c1.5.5 2.5 1.5 3 3 .8-2 .8-5 0-7.5z", cut: "M4 20L20 4M4 14l6 6M14 4l6 6",
  pour: "M5 5h9l3 3v2h-3V9L5 11zM15.5 13c1.5 2.2 2.3 3.3 2.3 4.4a2.3 2.3 0 0 1-4.6 0c0-1.1.8-2.2 2.3-4.4z",
  melt: "M8 4h8v6a3 3 0 0 1-2 3v2.5a1 1 0 0 1-2 0V13H9a1 1 0 0 1-1-1zM4 20c2-2 4 0 8 0s6-2 8 0",
  move: "M12 3v18M3 12h18M9 6l3-3 3 3M9 18l3 3 3-3M6 9l-3 3 3 3M18 9l3 3-3 3", tool: "M12 5v14M5 12h14",
};

export const icon = (name) => `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${paths[name] || paths.tool}"/></svg>`;
