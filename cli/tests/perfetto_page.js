// Runs in Perfetto's page, before its own script: waits until it has read the trace and shows the texts of the
// test, asks its trace processor the test's questions, and posts the answers.
(async () => {
  const post = (answer) => fetch("/answer", { method: "POST", body: JSON.stringify(answer) });
  const trouble = [];
  addEventListener("error", (event) => trouble.push(`${event.message}`));
  addEventListener("unhandledrejection", (event) => trouble.push(`${event.reason}`));
  const until = async (there) => {
    for (; !there(); await new Promise((again) => setTimeout(again, 100))) {
      if (trouble.length) throw new Error("the page cannot open the trace");
    }
  };
  const rows = async (trace, sql) => {
    const result = await trace.engine.query(sql);
    const rows = [];
    for (const row = result.iter({}); row.valid(); row.next()) {
      rows.push(result.columns().map((column) => String(row.get(column))));
    }
    return rows;
  };
  try {
    const { questions, shown } = await (await fetch("/test")).json();
    await until(() => self.app?.trace);
    await until(() => shown.every((text) => document.body.innerText.includes(text)));
    const answers = [];
    for (const sql of questions) answers.push(await rows(self.app.trace, sql));
    await post({ answers, trouble });
  } catch (error) {
    await post({ answers: [], trouble: [...trouble, `${error}`] });
  }
})();
