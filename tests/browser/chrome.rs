//! A Chromium of the test: pages, scripts, keys and logs. All use of WebDriver is in this file.

use fantoccini::actions::{InputSource as _, KeyAction, KeyActions};
use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use reqwest::{Method, Url};
use serde_json::{Map, Value, json};

use super::driver::{Driver, INSTALL_HINT};

/// Timeout for a condition, in milliseconds. The rules of axe take half a minute on the longest page of a
/// busy machine.
const SCRIPT_TIMEOUT_MS: u32 = 90_000;
/// Arguments as close as possible to a visitor's browser, without requests to other hosts.
const ARGUMENTS: [&str; 11] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    // Loading the built-in ones takes a third of a start.
    "--disable-extensions",
    "--window-size=1440,900",
];

/// The visitor's device.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Screen {
    Desktop,
    /// 390 × 844 CSS pixels, with touch instead of a mouse.
    Phone,
}

/// A running Chromium. The session is dropped first, so that it is closed before the driver ends.
pub struct Chrome {
    client: Client,
    driver: Driver,
}

impl Chrome {
    pub async fn start(screen: Screen) -> Self {
        Self::with_arguments(screen, vec![]).await
    }

    /// Starts with a small screen and this device pixel ratio. An emulated ratio would change the layout.
    pub async fn with_device_pixel_ratio(ratio: f64, screen: Screen) -> Self {
        let factor = format!("--force-device-scale-factor={ratio}");
        Self::with_arguments(screen, vec![factor, "--window-size=1000,700".to_owned()]).await
    }

    /// Starts with a log of all network events, which takes a twentieth of the processor time.
    pub async fn with_network_log(screen: Screen) -> Self {
        let driver = Driver::start();
        let mut capabilities = capabilities(&driver, screen, vec![]);
        capabilities["goog:loggingPrefs"]["performance"] = json!("ALL");
        Self::connect(driver, capabilities).await
    }

    async fn with_arguments(screen: Screen, extra_arguments: Vec<String>) -> Self {
        let driver = Driver::start();
        let capabilities = capabilities(&driver, screen, extra_arguments);
        Self::connect(driver, capabilities).await
    }

    async fn connect(driver: Driver, capabilities: Map<String, Value>) -> Self {
        let mut builder = ClientBuilder::new(HttpConnector::new());
        builder.capabilities(capabilities);
        let connected = builder.connect(&format!("http://127.0.0.1:{}", driver.port)).await;
        let client =
            connected.unwrap_or_else(|error| panic!("Chromium does not start ({error}): {INSTALL_HINT}"));
        Self { client, driver }
    }

    /// Returns the number of the process of which all of Chromium's are descendants.
    pub fn pid(&self) -> u32 {
        self.driver.pid()
    }

    pub async fn goto(&self, url: &str) {
        self.client.goto(url).await.unwrap();
    }

    /// Runs a script as the body of a function and returns its result.
    pub async fn run(&self, script: &str, arguments: Vec<Value>) -> Value {
        self.client.execute(script, arguments).await.unwrap_or_else(|error| panic!("{error}\nin {script}"))
    }

    /// Runs a script that returns its result through a callback, its last argument, within the timeout.
    pub async fn run_async(&self, script: &str, arguments: Vec<Value>) -> Result<Value, String> {
        self.client.execute_async(script, arguments).await.map_err(|error| error.to_string())
    }

    /// Presses these keys together and releases them in reverse order.
    pub async fn press(&self, keys: &[char]) {
        let mut actions = KeyActions::new("keyboard".to_owned());
        for value in keys {
            actions = actions.then(KeyAction::Down { value: *value });
        }
        for value in keys.iter().rev() {
            actions = actions.then(KeyAction::Up { value: *value });
        }
        self.client.perform_actions(actions).await.unwrap();
    }

    /// Presses and releases a key this many times. One request is much faster than one for each time.
    pub async fn press_times(&self, key: char, times: usize) {
        let mut actions = KeyActions::new("keyboard".to_owned());
        for _ in 0..times {
            actions = actions.then(KeyAction::Down { value: key }).then(KeyAction::Up { value: key });
        }
        self.client.perform_actions(actions).await.unwrap();
    }

    /// Sends a command of the `DevTools` protocol, for what WebDriver cannot do.
    pub async fn devtools(&self, command: &'static str, parameters: Value) -> Value {
        self.client.issue_cmd(DevTools(command, parameters)).await.unwrap()
    }

    /// Sets the preferred colour scheme, and disables animations so that nothing is seen half faded.
    pub async fn set_color_scheme(&self, scheme: &str) {
        let features = json!([
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]);
        self.devtools("Emulation.setEmulatedMedia", json!({"features": features})).await;
    }

    /// Sets the screen size in CSS pixels. `is_touch` replaces the mouse by touch.
    pub async fn emulate_screen(&self, width: u32, height: u32, is_touch: bool) {
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_touch});
        self.devtools("Emulation.setDeviceMetricsOverride", metrics).await;
        self.devtools("Emulation.setTouchEmulationEnabled", json!({"enabled": is_touch})).await;
    }

    /// Takes a screenshot as PNG.
    pub async fn screenshot(&self) -> Vec<u8> {
        self.client.screenshot().await.unwrap()
    }

    /// Sets the network offline or online.
    pub async fn set_online(&self, online: bool) {
        self.devtools("Network.enable", json!({})).await;
        let conditions =
            json!({"offline": !online, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1});
        self.devtools("Network.emulateNetworkConditions", conditions).await;
    }

    /// Suspends or resumes the page, as a closed laptop does. No script runs meanwhile.
    pub async fn set_frozen(&self, is_frozen: bool) {
        if is_frozen {
            self.client.minimize_window().await.unwrap();
        }
        let state = if is_frozen { "frozen" } else { "active" };
        self.devtools("Page.setWebLifecycleState", json!({"state": state})).await;
        if !is_frozen {
            self.client.set_window_size(1440, 900).await.unwrap();
        }
    }

    /// Returns the requests of this origin's documents since the last call: addresses, and bytes with
    /// headers.
    pub async fn take_transfers(&self, origin: &str) -> Vec<(String, f64)> {
        let mut transfers: Vec<(Value, String, f64)> = Vec::new();
        for event in self.take_network_events().await {
            let parameters = &event["params"];
            let document = parameters["documentURL"].as_str().unwrap_or_default();
            if event["method"] == "Network.requestWillBeSent" && document.starts_with(origin) {
                let url = parameters["request"]["url"].as_str().unwrap().to_owned();
                transfers.push((parameters["requestId"].clone(), url, 0.0));
            } else if event["method"] == "Network.loadingFinished"
                && let Some(transfer) = transfers.iter_mut().find(|(id, ..)| *id == parameters["requestId"])
            {
                transfer.2 = parameters["encodedDataLength"].as_f64().unwrap();
            }
        }
        transfers.into_iter().map(|(_, url, size)| (url, size)).collect()
    }

    /// Returns Chromium's network events since the last call.
    async fn take_network_events(&self) -> Vec<Value> {
        let log = self.take_log("performance").await;
        let messages = log.iter().map(|entry| entry["message"].as_str().unwrap());
        messages.map(|message| serde_json::from_str::<Value>(message).unwrap()["message"].take()).collect()
    }

    /// Returns the entries of a log since the last call.
    pub async fn take_log(&self, kind: &'static str) -> Vec<Value> {
        let entries = self.client.issue_cmd(ReadLog(kind)).await.unwrap();
        entries.as_array().unwrap().clone()
    }
}

fn capabilities(driver: &Driver, screen: Screen, extra_arguments: Vec<String>) -> Map<String, Value> {
    let mut arguments: Vec<String> = ARGUMENTS.map(str::to_owned).into();
    arguments.push(driver.profile_argument());
    arguments.extend(extra_arguments);
    let mut options = json!({"args": arguments});
    if screen == Screen::Phone {
        options["mobileEmulation"] =
            json!({"deviceMetrics": {"width": 390, "height": 844, "pixelRatio": 2.0}});
    }
    Map::from_iter([
        ("goog:chromeOptions".to_owned(), options),
        ("goog:loggingPrefs".to_owned(), json!({"browser": "ALL"})),
        ("timeouts".to_owned(), json!({"script": SCRIPT_TIMEOUT_MS, "pageLoad": SCRIPT_TIMEOUT_MS})),
    ])
}

/// chromedriver's own command for logs, which the WebDriver standard lacks.
#[derive(Debug)]
struct ReadLog(&'static str);

impl WebDriverCompatibleCommand for ReadLog {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, <Url as std::str::FromStr>::Err> {
        base.join(&format!("session/{}/se/log", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        (Method::POST, Some(json!({"type": self.0}).to_string()))
    }
}

/// chromedriver's command for the `DevTools` protocol.
#[derive(Debug)]
struct DevTools(&'static str, Value);

impl WebDriverCompatibleCommand for DevTools {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, <Url as std::str::FromStr>::Err> {
        base.join(&format!("session/{}/goog/cdp/execute", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        (Method::POST, Some(json!({"cmd": self.0, "params": self.1}).to_string()))
    }
}
