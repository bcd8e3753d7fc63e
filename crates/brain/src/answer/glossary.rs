//! Words that mean the same in the languages people work in: a question in one language may be answered in another.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::words::fold;

/// Returns the other words of a group that a folded word belongs to, as they are written.
pub(super) fn equivalents(folded: &str) -> &'static [&'static str] {
    GROUPS.get(folded).map_or(&[], |group| group)
}

static GROUPS: LazyLock<HashMap<String, Vec<&'static str>>> = LazyLock::new(|| {
    let mut groups: HashMap<String, Vec<&str>> = HashMap::new();
    for line in WORDS.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        for word in &words {
            let group = groups.entry(fold(word)).or_default();
            group.extend(words.iter().filter(|other| fold(other) != fold(word)));
        }
    }
    groups
});

/// A group on each line. Words that mean much else besides are left out.
const WORDS: &str = "\
disk Platte Festplatte disque disco 磁盘 ディスク
full filled fill voll gefüllt plein rempli lleno cheio
file files Datei Dateien fichier fichiers archivo archivos arquivo arquivos 文件 ファイル
error errors Fehler erreur erreurs errores erro erros 错误 エラー
failure failed fails Fehlschlag échec échoue fallo falla falhou falha 失败 失敗
test tests Tests essai prueba pruebas teste testes 测试 テスト
delete deleted deleting remove removed löschen gelöscht supprimer supprimé borrar eliminar apagar 删除 削除
missing miss fehlt fehlen fehlte manque manquant falta faltan faltam 缺少 不足
month months Monat Monate mois mes meses mês 月
week weeks Woche Wochen semaine semana semanas 周
day days Tag Tage jour jours día días dia dias
second seconds Sekunde Sekunden seconde secondes segundo segundos 秒
minute minutes Minuten minutos 分钟
slow langsam lent lento 慢 遅い
fast quick schnell rapide rápido 快 速い
server Server serveur servidor 服务器 サーバー
production prod Produktion produção producción 生产 本番
database Datenbank base datos dados 数据库 データベース
backup backups Sicherung sauvegarde copia respaldo 备份 バックアップ
device devices Gerät Geräte appareil appareils dispositivo dispositivos 设备 端末
change changes Änderung Änderungen changement changements cambio cambios mudança mudanças
read reads lesen liest lire lit leer lee lectura ler lê leitura
write writes schreiben écrire escribir escrever
note notes Notiz Notizen notas
link links Link enlace enlaces lien liens
broken kaputt defekt cassé roto rotos quebrado corrupt corrupted beschädigt corrompido corrompidos
invoice invoices Rechnung Rechnungen facture factures factura facturas fatura faturas 发票 請求書
price prices Preis Preise prix precio precios preço preços 价格 価格
tax VAT MwSt Mehrwertsteuer Umsatzsteuer TVA IVA
rate rates Satz taux tasa taxa
lock locks locked Sperre gesperrt verrou verrous verrouiller bloqueo candado bloqueio 锁 ロック
batch batches Stapel lot lots lote lotes
certificate certificates Zertifikat certificat certificado 证书 証明書
expired abgelaufen expiré caducado vencido expirado 过期
login Anmeldung connexion inscription
password Passwort Kennwort contraseña senha 密码 パスワード
authentication auth authenticate Authentifizierung authentification autenticación autenticação 认证 認証
limit limiting limiter ratelimit Begrenzung limite límite 限流 制限
request requests Anfrage Anfragen requête requêtes petición solicitud 请求 リクエスト
order Reihenfolge ordre orden ordem 顺序 順番
upload uploads hochladen téléverser subir enviar 上传 アップロード 送信
download downloads herunterladen télécharger descargar baixar 下载 ダウンロード
progress Fortschritt progression progreso progresso 进度 進捗
screen Bildschirm écran pantalla tela 屏幕 画面
record records Datensatz enregistrement registro registros 记录 記録
duplicate duplicates double doppelt doublon doublons duplicado duplicados 重复 二重 重複
cache caches Zwischenspeicher 缓存 キャッシュ
memory Speicher Arbeitsspeicher mémoire memoria memória 内存 メモリ
search Suche suchen recherche búsqueda busca 搜索 検索
sync synchronise synchronize synchronisieren synchroniser sincronizar sincronización 同步 同期
station stations Stationen estación estaciones estação estações
weather Wetter météo clima tempo 天气
dangerous risky destructive gefährlich dangereux peligroso perigoso niemals STOPP
dead orphaned inactive verwaist inaktiv
replication Replikation réplication replicación replicação
rollback Rückrollen retour arrière reversión
procedure Verfahren Ablauf procédure procedimiento procedimento runbook
rounding round Rundung arrondi redondeo arredondamento
report reports Bericht rapport informe relatório 报告 レポート
match matches equal same identical differ differs difference gleich unterschied identique différence igual iguales diferencia
manual manually hand Hand
fifth 5th
fourth 4th
third 3rd
flaky unreliable intermittent sporadic sometimes instabil instable
calibrate calibration kalibrieren Kalibrierung étalonner calibrar calibración calibração 校准 校正
deviation discrepancy difference Abweichung Differenz écart desviación diferença 差异 差異
revenue turnover sales Umsatz chiffre ventas ingresos receita faturamento 收入 売上
schedule timetable Zeitplan Stundenplan Dienstplan horaire planning horario horarios horário horários 排班 時間割
room Raum Zimmer salle sala cuarto 房间 部屋
temperature Temperatur température temperatura 温度
sensor Sensor Fühler capteur sensor 传感器 センサー
alarm alert Alarm alerte alarma alerta 报警 アラーム
degrees Grad degrés grados graus
speed faster quicker Geschwindigkeit schneller beschleunigen vitesse accélérer velocidad acelerar velocidade 速度
trigger triggers fire fires fired auslösen déclencher disparar 触发
split splitting divide aufteilen Aufteilung découper découpage dividir 拆分 分割
merge merging zusammenführen fusionner fusionar mesclar 合并 マージ
remains still exists bleibt reste queda fica 保留
photo photos picture pictures image images Foto Fotos Bild Bilder imagen imágenes foto fotos imagem imagens 图片 写真 画像
user users Benutzer Nutzer utilisateur utilisateurs usuario usuarios usuário usuários 用户 ユーザー
customer customers client Kunde Kunden clients cliente clientes 客户 顧客
team Mannschaft équipe equipo equipe 团队 チーム
name named naming Name Namen nom nombre nome 名字 名前
key keys Schlüssel clé clés clave claves chave chaves 密钥 鍵
page pages Seite Seiten página páginas 页面 ページ
button Knopf Schaltfläche bouton botón botão 按钮 ボタン
table tables Tabelle Tabellen tabla tablas tabela tabelas 表格 テーブル
column columns Spalte Spalten colonne colonnes columna columnas coluna colunas 列
row rows line lines Zeile Zeilen ligne lignes fila filas línea líneas linha linhas 行
folder directory Ordner Verzeichnis dossier répertoire carpeta directorio pasta diretório 目录 文件夹 フォルダ
branch Zweig branche rama ramo 分支 ブランチ
version Fassung versión versão 版本 バージョン
release Freigabe Veröffentlichung publication lanzamiento publicación lançamento 发布 リリース
deploy deployment deployed ausrollen ausgerollt déployer déploiement desplegar despliegue implantar 部署 デプロイ
update updates upgrade upgraded aktualisieren Aktualisierung mettre jour actualizar actualización atualizar atualização 升级 更新
install installed installation installieren installer instalar instalado 安装 インストール
replace replaced ersetzen ersetzt remplacer remplacé reemplazar sustituir substituir 替换 置き換え
rename renamed umbenennen umbenannt renommer renombrar renomear 改名
keep kept behalten garder conservar mantener manter 保留
switch switched wechseln umstellen umgestellt basculer cambiar trocar 切换 切り替え
choose chose choice wählen gewählt choisir choix elegir elegido escolher escolhemos escolha 选择 選択
cost costs Kosten kostet coût coûte coste cuesta custo custa 费用 費用
size large big Größe groß taille gros tamaño grande tamanho 大小 サイズ
empty leer vide vacío vazio 空
wrong falsch faux incorrecto errado 错误
value values Wert Werte valeur valeurs valor valores 值
number count Anzahl Zahl nombre número cantidad quantidade 数量
date Datum fecha data 日期 日付
time Zeit Uhrzeit Uhr heure hora horas 时间 時間
timezone Zeitzone fuseau huso fuso 时区
night nachts Nacht nuit noche noite 夜
meeting Versammlung Besprechung réunion reunión reunião 会议 会議
account accounts Konto Konten compte comptes cuenta cuentas conta contas 账户 アカウント
payment payments Zahlung Zahlungen paiement paiements pago pagos pagamento 支付 支払い
refund refunds Rückerstattung remboursement reembolso 退款 返金
booking Buchung réservation reserva 预订 予約
message messages Nachricht Nachrichten mensaje mensajes mensagem mensagens 消息 メッセージ
mail email Mails courriel correo correos 邮件 メール
queue Warteschlange file cola fila 队列 キュー
worker job jobs Auftrag Aufträge tâche tarea tareas tarefa 任务 ジョブ
connection connections Verbindung Verbindungen connexions conexión conexiones conexão conexões 连接 接続
network Netz Netzwerk réseau red rede 网络 ネットワーク
firewall Brandmauer pare-feu cortafuegos 防火墙
load Last charge carga 负载 負荷
crash crashes crashed abstürzen Absturz stürzt plante planter plantage bloquea falha 崩溃 クラッシュ
restart restarted Neustart neu redémarrer redémarrage reiniciar reinicio 重启 再起動
timeout Zeitüberschreitung délai expiración espera 超时 タイムアウト
retry retries erneut réessayer reintentar reintento 重试 再試行
convert conversion umwandeln Umwandlung convertir conversión converter conversão 转换 変換
import importing importieren Einfuhr importer importar importação 导入 インポート
export exporting exportieren Ausfuhr exporter exportar exportação 导出 エクスポート
print printer drucken Drucker imprimer imprimante imprimir impresora impressora 打印 印刷
translate translation übersetzen Übersetzung traduire traduction traducir traducción traduzir tradução 翻译 翻訳
language languages Sprache Sprachen langue langues idioma idiomas 语言 言語
font Schrift Schriftart police fuente letra fonte 字体 フォント
colour color Farbe couleur color cor 颜色 色
header Kopfzeile entête cabecera encabezado cabeçalho 页眉 ヘッダー
mobile phone phones Handy Telefon téléphone móvil teléfono celular 手机 携帯
tablet Tablett tablette tableta 平板
map maps Karte Karten carte cartes mapa mapas 地图 地図
weight Gewicht poids peso 重量
meter readings Zähler Zählerstand compteur contador medidor 电表
rule rules Regel Regeln règle règles regla reglas regra regras 规则 ルール
permission permissions right rights Recht Rechte Berechtigung droit droits permiso permisos permissão 权限 権限
allow allowed erlauben erlaubt autoriser permettre permitir permitido 允许 許可
forbid forbidden verbieten verboten interdire interdit prohibir proibir 禁止
licence license Lizenz licencia licença 许可证 ライセンス
contract Vertrag contrat contrato 合同 契約
dependency dependencies Abhängigkeit Abhängigkeiten dépendance dépendances dependencia dependencias dependência 依赖 依存
library libraries Bibliothek Bibliotheken bibliothèque biblioteca 库 ライブラリ
parser parse parsing zerlegen analyser analizar analisador 解析
estimate estimated schätzen geschätzt estimer estimar 估计 見積
measure measured messen gemessen mesurer medir 测量 測定
prove proof Beweis preuve prueba prova 证明
open opened offen geöffnet ouvert abierto aberto 打开
close closed schließen geschlossen fermer fermé cerrar cerrado fechar fechado 关闭
school Schule école escuela escola 学校
teacher teachers Lehrer professeur profesor professor professora 老师
shop store Laden Geschäft boutique magasin tienda loja 商店
stock inventory Lager Bestand inventario estoque 库存 在庫
flat apartment Wohnung appartement piso apartamento 公寓
contractor contractors Auftragnehmer prestataire contratista
postponed delayed verschoben reporté aplazado adiado 推迟 延期
abandoned gave given aufgegeben abandonné abandonado 放弃
analyser analyzer linter lint tidy
pipeline CI workflow workflows
corrupt corrupted garbage garbled mangled kaputt
OOM OOMKilled memory RAM
drive drives disk disks Platte Platten Laufwerk disque disco
parameter parameters bind bound placeholder argument
decrease reduce reduced fell sank
insecure unsafe vulnerable vulnerability unsicher Lücke inseguro inseguros faille
access Zugriff Zugang accès acceso acesso 访问 アクセス
balance Saldo solde
maximum max biggest largest most
minimum min smallest least
secret secrets token tokens credential credentials
container containers docker pod pods
documentation docs readme Doku
config configuration settings setting Einstellung Einstellungen configuración configuração
repository repo repos
revert reverted undo undone rolled zurück rückgängig
performance latency slow langsam
cron timer nightly scheduled
banned forbidden prohibited convention conventions
subscription Abo abonnement suscripción assinatura
encrypt encrypted encryption verschlüsseln verschlüsselt chiffrer chiffrement cifrar cifrado criptografar 加密 暗号化
outage downtime incident Ausfall panne caída queda 故障 障害
approve approved approval sign-off signed
vendor supplier Lieferant fournisseur proveedor fornecedor
deadline due Frist Abgabe échéance plazo prazo 締切
hire rent rental Miete location alquiler aluguel
index indexes indices Index índice índices 索引
lesson lessons learnt learned
summertime DST daylight Zeitumstellung Sommerzeit
dedup deduplicate deduplication duplicate duplicates doppelt doublons
array RAID raid md0
upgrade upgraded newer migrate migrated migration umziehen Umzug
vulnerability injection exploit attack Angriff
unreadable garbled mojibake Umlaute
approximate approximation approximations estimate
power current consumption Strom Stromverbrauch courant corriente corrente 電流 功耗
battery batteries Batterie Akku batería bateria pile 電池 电池
sign signed signing signature signatures unterschreiben signieren signer firmar assinar 署名 签名
recipe recipes Rezept recette receta receita
feedback Rückmeldung retour comentarios
fallback Ausweichlösung repli respaldo
quota quotas Kontingent cuota cota";
