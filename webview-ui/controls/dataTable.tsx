/** The numbers of a chart as a table, 25 rows per page. */

import * as l10n from "@vscode/l10n";
import { useState } from "preact/hooks";
import { columnFormat } from "../../src/shared/format.ts";
import { IconButton } from "./button.tsx";
import type { NumberTable } from "./export.ts";
import { ScrollRegion } from "./scrollRegion.tsx";
import { TableHead } from "./tableHead.tsx";

const ROWS_PER_PAGE = 25;

interface TableProps {
  readonly table: NumberTable;
  readonly caption: string;
  /** The page shown first, from 0; absent = the last page, which has the latest numbers. */
  readonly firstPage?: number;
}

export function DataTable({ table, caption, firstPage }: TableProps) {
  const pages = Math.max(1, Math.ceil(table.rows.length / ROWS_PER_PAGE));
  const [chosen, setPage] = useState<number | null>(null);
  const page = Math.min(chosen ?? firstPage ?? pages - 1, pages - 1);
  const rows = table.rows.slice(page * ROWS_PER_PAGE, (page + 1) * ROWS_PER_PAGE);
  const formats = table.heads.map((_, column) =>
    columnFormat(table.rows.map((row) => row[column] ?? null)),
  );
  return (
    <div class="data-table">
      <ScrollRegion label={caption}>
        <table>
          <caption class="visually-hidden">{caption}</caption>
          <TableHead heads={table.heads.map((head) => [head, "number"])} />
          <tbody>
            {rows.map((row) => (
              <tr key={row[0]}>
                {row.map((value, column) => (
                  <td class="number" key={column}>
                    {formats[column]?.(value)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {pages > 1 ? <Pages page={page} pages={pages} go={setPage} /> : null}
    </div>
  );
}

interface PagesProps {
  /** From 0. */
  readonly page: number;
  readonly pages: number;
  readonly go: (page: number) => void;
}

export function Pages({ page, pages, go }: PagesProps) {
  return (
    <div class="pages row">
      <IconButton
        icon="chevronLeft"
        label={l10n.t("Previous page")}
        disabled={page === 0}
        onClick={() => go(page - 1)}
      />
      <span>{l10n.t("Page {0} of {1}", page + 1, pages)}</span>
      <IconButton
        icon="chevronRight"
        label={l10n.t("Next page")}
        disabled={page === pages - 1}
        onClick={() => go(page + 1)}
      />
    </div>
  );
}
