import { expect, test } from "vitest";
import { toVideoEmbed } from "./video-overlay.tsx";

test.each([
  ["https://www.youtube.com/watch?v=abc-1", "frame", "https://www.youtube.com/embed/abc-1?autoplay=1"],
  ["https://www.youtube.com/shorts/abc_2?x=1", "frame", "https://www.youtube.com/embed/abc_2?autoplay=1"],
  ["https://www.youtube.com/embed/abc", "frame", "https://www.youtube.com/embed/abc"],
  ["https://player.vimeo.com/video/1", "frame", "https://player.vimeo.com/video/1"],
  ["https://youtube.com.example.com/watch?v=a", "frame", "https://youtube.com.example.com/watch?v=a"],
  ["/demo-video.webm", "file", "/demo-video.webm"],
  ["https://cdn.example.com/demo.MP4?sig=1", "file", "https://cdn.example.com/demo.MP4?sig=1"],
] as const)("the video link %s is shown as a %s with the address %s", (link, kind, url) => {
  expect(toVideoEmbed(link)).toEqual({ kind, url });
});
