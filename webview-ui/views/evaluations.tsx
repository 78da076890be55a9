/** Results on tasks that training never sees, each compared with the first. */

import type { EvaluationView } from "../../src/shared/dashboardTypes.ts";
import {
  formatCount,
  formatReward,
  formatSigned,
  formatTemperature,
} from "../../src/shared/format.ts";
import { ScrollRegion } from "../controls/scrollRegion.tsx";
import type { DashboardModel } from "../model/dashboardModel.ts";
import { openEvaluation } from "../model/evaluationCell.ts";
import { strings } from "../strings/strings.ts";
import { visibleLine } from "../text/visible.ts";
import { cellTitle } from "./setTitle.ts";

const text = strings.evaluation;

type Result = EvaluationView["results"][number];

export function Evaluations({ dashboard }: { readonly dashboard: DashboardModel }) {
  const evaluations = dashboard.evaluations.value;
  if (evaluations.length === 0) return null;
  const first = evaluations[0]?.results ?? [];
  const rows = evaluations.flatMap(({ step, results }, position) =>
    results.map((result) => ({
      step,
      result,
      before: position === 0 ? undefined : first.find((other) => isSameCell(other, result)),
    })),
  );
  return (
    <div class="card">
      <div class="card-head">
        <h2 id="evaluation-title">{text.title}</h2>
      </div>
      <ScrollRegion label={text.title}>
        <table class="plain">
          <thead>
            <tr>
              <th scope="col" class="number">
                {text.step}
              </th>
              <th scope="col">{text.split}</th>
              <th scope="col">{text.temperature}</th>
              <th scope="col" class="number">
                {text.reward}
              </th>
              <th scope="col" class="number">
                {text.interval}
              </th>
              <th scope="col" class="number">
                {text.change}
              </th>
              <th scope="col" class="number">
                {text.rollouts}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ step, result, before }, index) => (
              <tr
                key={index}
                class="opens"
                onClick={() => openEvaluation(dashboard, { step, ...result })}
              >
                <td class="number">
                  <button
                    type="button"
                    class="link"
                    title={text.open(cellTitle({ step, ...result }))}
                  >
                    {formatCount(step)}
                  </button>
                </td>
                <td>{visibleLine(`${result.environment} ${result.split}`)}</td>
                <td>{formatTemperature(result.temperature)}</td>
                <td class="number">
                  <b>{formatReward(result.rewardMean)}</b>
                </td>
                <td class="number">{`${formatReward(result.low)} to ${formatReward(result.high)}`}</td>
                <td class="number">
                  {before === undefined
                    ? strings.none
                    : formatSigned(result.rewardMean - before.rewardMean)}
                </td>
                <td class="number">{formatCount(result.rollouts)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </div>
  );
}

function isSameCell(a: Result, b: Result): boolean {
  return a.environment === b.environment && a.split === b.split && a.temperature === b.temperature;
}
