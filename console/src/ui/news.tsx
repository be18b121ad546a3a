import { useEffect, useRef, useState } from "preact/hooks";
import { Said } from "./said";

interface Told {
  text: string;
}

/** What was just done, and how to tell it. The same sentence twice is news twice; null is none any more. */
export function useNews(): [Told | null, (text: string | null) => void] {
  const [news, setNews] = useState<Told | null>(null);
  return [news, (text) => setNews(text === null ? null : { text })];
}

/** The confirmation gets the focus: the button that began it may be gone by what was done. */
export function News({ news }: { news: Told | null }) {
  const place = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (news === null) return;
    // The dialog that it was decided in closes first: as long as it is open, nothing outside takes the focus.
    const frame = requestAnimationFrame(() => place.current?.focus());
    return () => cancelAnimationFrame(frame);
  }, [news]);
  return (
    <div role="status">
      {news !== null && (
        <p class="notice done" tabIndex={-1} ref={place}>
          <Said text={news.text} />
        </p>
      )}
    </div>
  );
}
