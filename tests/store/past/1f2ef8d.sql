-- migration 0007, by the code of commit 1f2ef8d; made by make.py
BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0007');
CREATE TABLE buckets (
	job_id VARCHAR(32) NOT NULL, 
	at_s BIGINT NOT NULL, 
	training_phase VARCHAR(64) NOT NULL, 
	iterations FLOAT NOT NULL, 
	CONSTRAINT pk_buckets PRIMARY KEY (job_id, at_s, training_phase), 
	CONSTRAINT fk_buckets_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "buckets" VALUES('job-f7f2fdfd',1700000035,'main',4.0);
INSERT INTO "buckets" VALUES('job-f7f2fdfd',1700000040,'main',40.0);
INSERT INTO "buckets" VALUES('job-f7f2fdfd',1700000045,'main',40.0);
INSERT INTO "buckets" VALUES('job-f7f2fdfd',1700000050,'main',40.0);
INSERT INTO "buckets" VALUES('job-f7f2fdfd',1700000055,'main',40.0);
INSERT INTO "buckets" VALUES('job-f7f2fdfd',1700000060,'main',40.0);
INSERT INTO "buckets" VALUES('job-f7f2fdfd',1700000065,'main',40.0);
INSERT INTO "buckets" VALUES('job-f7f2fdfd',1700000070,'main',40.0);
INSERT INTO "buckets" VALUES('job-f7f2fdfd',1700000075,'main',40.0);
INSERT INTO "buckets" VALUES('job-f7f2fdfd',1700000080,'main',40.0);
INSERT INTO "buckets" VALUES('job-f7f2fdfd',1700000085,'main',36.0);
INSERT INTO "buckets" VALUES('job-a1124056',1700000035,'main',4.0);
INSERT INTO "buckets" VALUES('job-a1124056',1700000040,'main',40.0);
INSERT INTO "buckets" VALUES('job-a1124056',1700000045,'main',40.0);
INSERT INTO "buckets" VALUES('job-a1124056',1700000050,'main',40.0);
INSERT INTO "buckets" VALUES('job-a1124056',1700000055,'main',40.0);
INSERT INTO "buckets" VALUES('job-a1124056',1700000060,'main',40.0);
INSERT INTO "buckets" VALUES('job-a1124056',1700000065,'main',40.0);
INSERT INTO "buckets" VALUES('job-a1124056',1700000070,'main',40.0);
INSERT INTO "buckets" VALUES('job-a1124056',1700000075,'main',40.0);
INSERT INTO "buckets" VALUES('job-a1124056',1700000080,'main',40.0);
INSERT INTO "buckets" VALUES('job-a1124056',1700000085,'main',36.0);
CREATE TABLE code (
	sha256 VARCHAR(64) NOT NULL, 
	content BLOB NOT NULL, 
	stored_at_s FLOAT NOT NULL, 
	CONSTRAINT pk_code PRIMARY KEY (sha256)
);
CREATE TABLE decisions (
	id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	at_s FLOAT NOT NULL, 
	last_at_s FLOAT NOT NULL, 
	ticks INTEGER NOT NULL, 
	policy VARCHAR(64) NOT NULL, 
	action VARCHAR(16) NOT NULL, 
	code VARCHAR(64) NOT NULL, 
	from_group TEXT, 
	to_group TEXT, 
	"plan" TEXT NOT NULL, 
	snapshot BLOB NOT NULL, 
	CONSTRAINT pk_decisions PRIMARY KEY (id), 
	CONSTRAINT fk_decisions_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "decisions" VALUES(1,'job-f7f2fdfd',1700000002.0,1700000002.0,1,'best_value','start','start',NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','{"action":"start","target":{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]},"reason":{"code":"start","text":"start on 2 nodes","numbers":{"usd_per_h":0.72}},"candidates":[],"limited_by":[],"may_buy":true,"left_out":{}}',X'789CC556DB6E1B390CFD173DBB8663A769EBEFD8B7A210341267AC4623A9BAD87182FCFB1ECED5EE6251A0C076FD6451D4210F7544CE9BF0E122B3383E7CDA8DBFFD76B711DF43238E6FC21A71E4FF1FDA4FEDBE35AD111B912369DEF3AA27EC9237C4661DFA5E79F87F152529EBB7F12ABEB1D9C0CB57E736703DE3E0FB465C427A76419979E3748D94A24A402C94F2E8E47132CBDE7AE4B6ACD4CBCDEAA27CA105C4C714B40490F4434CA16A0948AC73A1514E36AAE8D3EC6B1146151B3C1367D21B119AEFA48B3D1373431CDBDB5746595D076C139C5309B0869471D613D76E046DAAE9A8C89A979400C3CBE1E029D434DBCFCA5592A195C5F6B47A8CDB1375595014607FE522AAA8B42D5726E5AF081E83B39A970DE5220738585BFB42462E87E768F1A4F280B4DC598FFB817FF5C53AB9109CC2239EE10B945D527AA077D8B1248A2510107F3DE0641F1036AB3E3A9A6E2B26D2362F2823F784EC542A4B85422DB1AECBBB2B49F4A3DA443DF932B1CE546A1CFF1A55D4EC9849271A7DDE2772482B55EFADEF589FB5E96D8130A42A77C21E589CA1AF21CBFD8D0AC4F1912530E8162072069DEAD4C29A4F0BE02C66C3F166B694B3EA68256382C70AA0CF14CBCF356687B1320CF94A298863AB5C26645F4284B24FE4A5CACFABBAEF6A452985B4A80540D0DDBCA76B4AA8E1F22AF8A58C45BC53D5A20517B472DB1F15D910EB5AC78ABCB7FB8F4CAA0FE92A3B8B5E3074852E56A94365F469D503D3AD42BB660B34F8245A0AB52883C38A361EF6DC176CBF94EB7DF3533227E5DA3593FF319116C63991078EFBA712F9C64E564F37C55D184D2FB42DA541736FE2E691FFF306D76E11FC0743435BDE88D74191A3B7806C6EDA0E5E06DF37FA8835B24DA11FDECDD317FC9E1EC777139A4CE9FC2F8F2AA3B769062F903542D10B9E5296F711B8BACC64FF2B26F3F5FF0E8DC73F46E3F02B1AB3787E87C697FF9CC5D05F939D7B43BE58F49765DE9C94EF96AD8876324E351CDC41880EB3911B30CFC9D4F180DE6D1F78D40767C2C5734A4F632E255988FF623DECB07E9E2D9C4C3EA944D3031FC3CBA86A2609E587C4201F19A209A1ACA6039B184FCE91C6E134BC16FE3C9078446CFE3CD72AC7F1FCFDF6614A109F17B6AFBD6CAC73A8671E38CE59624013E6C57569CE8994E62EBE4E81B9AAE80898769AF0FD60269960BCAAB3B24E358EA629166A337CB0DC2C96C2A20164A931E75CE8E4333ECA50D6922A31DD72C24466031FE4828CD3EF6F8D0D470C');
INSERT INTO "decisions" VALUES(2,'job-a1124056',1700000002.0,1700000002.0,1,'best_value','start','start',NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','{"action":"start","target":{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]},"reason":{"code":"start","text":"start on 2 nodes","numbers":{"usd_per_h":0.72}},"candidates":[],"limited_by":[],"may_buy":true,"left_out":{}}',X'789CC556DB8EDB380CFD173DA7412E33D336DFB16F4521C8366DAB234BAA2EC96406F3EF3DB42D3BE96251A040BB798A28EA90873A22FD26ACBBC8284EFB8FBBE977D8EE36E29BABC4E94DE8469CF8FF07B5DF1F1E768F4F6223A2A79AF7AC1A08BB29286DB5EDB053BB61501647BE4CD6ADBF8AAF6C6EE068B3311B41F68CB3EF1B7171E1D938D5948DFEEA297815009A28C4C9C9E2649483B6486F59A9979BD545D9440B88F5C1D51240D28E3185CAC921B1CEB84A1959A954F7C557238C4ADA59E6CEBC37C255DFA84EFA4C4C0F71F4A05F1965751DB11B678C0A806D4835465BE2F24DA0556E3A4A32C72525C0F0723CD8BB1C8AFDAC4C26E95A99F440ABC7B43D5397094501F6172EA2F2AAD6E9CAA4EC15C1BD33BAE6654531C9110ED656BF502397C3259AEF551C91966B1B703FF0CF36692317827378C46BF8026517543DD23BEE5815491308887FF6383938848D6AF086E6DBF2816A1D1794897B40762AA4A5422E279FD7E5DD9504FA9E75A0816C9A59474AD94F7F1B9554718C54079A7CDE6772482B643B0B31E66AD009C2902ADD697B647186BEC62C0F372A10A707964051B32CA0739D5A5863BF001631371CAFB0A51855472B99C659AC00FA4C3EFD5C6376982AC390AF149C38B5CA4442F6C97928BB272B557C5ED57D572B0AC185452D0082EECA5E9D43400D9757C12F652AE29DAA162D18572BB3FD9E910DB1AE6B9F91F7F6F0C8A40617AEB2D368076363E87C96B5CB8C3EAF06609A5568D7A881069F404BA116657058D1FAE381FB821E9672BD6F7E4AA657A65D33F91F1369612C89EC39EEDF4AE42B3BE97ABE296EC4687AAE6D298C9A7B13378FFCDF37B8760B673F3434B6E58D781D1539790BC8E6A6EDE065F07DA38FE846B6C10DE3BB79FA8CDFD3C3F46E5C15299CFFE35145F4B67A9C07903542D10B9E5294F711B8BACCE4F02B26E5FA7F87C6C35FA371FC158D229EDFA1F1F98FB318FB6BD0A537C48B467F59E64DAF6CB76C79B49369AAE1E00E4234988DDC80794E868E07F46EBBE751EF4CE32E96537A9A72494143FC176D6187F553B17032B15781E6073E85975EE54812CA7781411E19A2722EADA6239B184F9648D3701A5F0B7F1E483C22367F2AB58A7E3A7FBF7D9C13C4E7851EF2202B6D0CEA19478E254B0C68C2BCB82ECD3990AAB98BAF53A054151D01D3AE267C3F34B34C305ED55969A32A43F31473B91A3F586E164B61D100A2AC31E78CEBE433BECB50D6143231DDD46322B3810F7241A6E9F703E7554763');
CREATE TABLE events (
	id INTEGER NOT NULL, 
	at_s FLOAT NOT NULL, 
	job_id VARCHAR(32), 
	node_id VARCHAR(32), 
	kind VARCHAR(32) NOT NULL, 
	text TEXT NOT NULL, 
	numbers TEXT NOT NULL, 
	CONSTRAINT pk_events PRIMARY KEY (id)
);
INSERT INTO "events" VALUES(1,1700000300.0,NULL,NULL,'price','local.half on-demand local: $0.36/h is now $0.72/h','{"before_usd_per_h": 0.36, "usd_per_h": 0.72}');
INSERT INTO "events" VALUES(2,1700000000.0,'job-f7f2fdfd',NULL,'job_submitted','job ended submitted, to run on T1','{}');
INSERT INTO "events" VALUES(3,1700000001.0,'job-f7f2fdfd',NULL,'job_phase','job ended is profiling','{}');
INSERT INTO "events" VALUES(4,1700000001.0,'job-f7f2fdfd',NULL,'job_phase','job ended is running','{}');
INSERT INTO "events" VALUES(5,1700000005.0,'job-f7f2fdfd','node-8e60af0f','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(6,1700000020.0,'job-f7f2fdfd','node-8e60af0f','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(7,1700000005.0,'job-f7f2fdfd','node-6e0573d0','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(8,1700000020.0,'job-f7f2fdfd','node-6e0573d0','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(9,1700000030.0,'job-f7f2fdfd',NULL,'generation','generation 1: 2 x local.half on-demand','{}');
INSERT INTO "events" VALUES(10,1700000002.0,'job-f7f2fdfd',NULL,'decision','start on 2 nodes','{"decision_id": 1}');
INSERT INTO "events" VALUES(11,1700000060.0,'job-f7f2fdfd',NULL,'note','a note of ended','{}');
INSERT INTO "events" VALUES(12,1700000600.0,'job-f7f2fdfd','node-8e60af0f','node_terminating','local.half is being terminated: asked','{}');
INSERT INTO "events" VALUES(13,1700000610.0,'job-f7f2fdfd','node-8e60af0f','node_terminated','local.half is terminated','{}');
INSERT INTO "events" VALUES(14,1700000600.0,'job-f7f2fdfd','node-6e0573d0','node_terminating','local.half is being terminated: asked','{}');
INSERT INTO "events" VALUES(15,1700000610.0,'job-f7f2fdfd','node-6e0573d0','node_terminated','local.half is terminated','{}');
INSERT INTO "events" VALUES(16,1700000590.0,'job-f7f2fdfd',NULL,'job_phase','job ended is draining: asked','{}');
INSERT INTO "events" VALUES(17,1700000620.0,'job-f7f2fdfd',NULL,'job_phase','job ended was cancelled','{}');
INSERT INTO "events" VALUES(18,1700000000.0,'job-a1124056',NULL,'job_submitted','job training submitted, to run on T1','{}');
INSERT INTO "events" VALUES(19,1700000001.0,'job-a1124056',NULL,'job_phase','job training is profiling','{}');
INSERT INTO "events" VALUES(20,1700000001.0,'job-a1124056',NULL,'job_phase','job training is running','{}');
INSERT INTO "events" VALUES(21,1700000005.0,'job-a1124056','node-ed640b65','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(22,1700000020.0,'job-a1124056','node-ed640b65','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(23,1700000005.0,'job-a1124056','node-ce5f8fc5','node_launched','local.half launched (test)','{}');
INSERT INTO "events" VALUES(24,1700000020.0,'job-a1124056','node-ce5f8fc5','node_joined','local.half joined','{}');
INSERT INTO "events" VALUES(25,1700000030.0,'job-a1124056',NULL,'generation','generation 1: 2 x local.half on-demand','{}');
INSERT INTO "events" VALUES(26,1700000002.0,'job-a1124056',NULL,'decision','start on 2 nodes','{"decision_id": 2}');
INSERT INTO "events" VALUES(27,1700000060.0,'job-a1124056',NULL,'note','a note of training','{}');
CREATE TABLE generations (
	job_id VARCHAR(32) NOT NULL, 
	number INTEGER NOT NULL, 
	node_ids TEXT NOT NULL, 
	members TEXT NOT NULL, 
	rdzv_endpoint VARCHAR(128) NOT NULL, 
	started_at_s FLOAT NOT NULL, 
	drain_at_s FLOAT, 
	ended_at_s FLOAT, 
	first_step_at_s FLOAT, 
	last_step_at_s FLOAT, 
	hangs BOOLEAN NOT NULL, world_size INTEGER DEFAULT '1' NOT NULL, 
	CONSTRAINT pk_generations PRIMARY KEY (job_id, number), 
	CONSTRAINT fk_generations_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "generations" VALUES('job-f7f2fdfd',1,'["node-8e60af0f", "node-6e0573d0"]','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','127.0.0.1:1',1700000030.0,NULL,1700000600.0,1700000040.0,1700000089.5,0,2);
INSERT INTO "generations" VALUES('job-a1124056',1,'["node-ed640b65", "node-ce5f8fc5"]','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','127.0.0.1:1',1700000030.0,NULL,NULL,1700000040.0,1700000089.5,0,2);
CREATE TABLE identity (
	id INTEGER NOT NULL, 
	holder VARCHAR(32) NOT NULL, 
	CONSTRAINT pk_identity PRIMARY KEY (id)
);
CREATE TABLE intents (
	id INTEGER NOT NULL, 
	token VARCHAR(64) NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	node_id VARCHAR(32) NOT NULL, 
	request_hash VARCHAR(64) NOT NULL, 
	asked_by VARCHAR(32) NOT NULL, 
	created_at_s FLOAT NOT NULL, 
	done_at_s FLOAT, 
	outcome TEXT, 
	CONSTRAINT pk_intents PRIMARY KEY (id), 
	CONSTRAINT uq_intents_token_kind_node_id UNIQUE (token, kind, node_id)
);
INSERT INTO "intents" VALUES(1,'ede7e11410343051db0496de087b841b','launch','node-8e60af0f','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(2,'dccb351dbd33c507110e6148c951ef4f','launch','node-6e0573d0','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(3,'ede7e11410343051db0496de087b841b','terminate','node-8e60af0f','ede7e11410343051db0496de087b841b','',1700000600.0,1700000610.0,'gone');
INSERT INTO "intents" VALUES(4,'dccb351dbd33c507110e6148c951ef4f','terminate','node-6e0573d0','dccb351dbd33c507110e6148c951ef4f','',1700000600.0,1700000610.0,'gone');
INSERT INTO "intents" VALUES(5,'7be4b50869206ec69ecf77151a9ab858','launch','node-ed640b65','h','',1700000001.0,1700000005.0,'launched');
INSERT INTO "intents" VALUES(6,'260cf5960654cea1a5b985ffab69f1b7','launch','node-ce5f8fc5','h','',1700000001.0,1700000005.0,'launched');
CREATE TABLE "jobs" (
	seq INTEGER NOT NULL, 
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	spec TEXT NOT NULL, 
	phase VARCHAR(24) NOT NULL, 
	submitted_at_s FLOAT NOT NULL, 
	version INTEGER NOT NULL, 
	iteration BIGINT NOT NULL, 
	progress_generation INTEGER NOT NULL, 
	newest_round BIGINT NOT NULL, 
	claimed_round BIGINT NOT NULL, 
	training_phase VARCHAR(64), 
	finished_at_s FLOAT, 
	ending VARCHAR(24), 
	message TEXT, 
	target TEXT, 
	code VARCHAR(64), 
	failures INTEGER NOT NULL, 
	failed_iteration BIGINT NOT NULL, 
	longest_pause_s FLOAT, 
	idempotency_key VARCHAR(255), 
	request_hash VARCHAR(64) NOT NULL, 
	redone BIGINT DEFAULT '0' NOT NULL, 
	kept_iteration BIGINT, 
	restarts_at_zero BOOLEAN DEFAULT 0 NOT NULL, 
	stops_when_asked BOOLEAN, 
	batch VARCHAR(8), 
	saves TEXT, error TEXT, 
	CONSTRAINT pk_jobs PRIMARY KEY (seq), 
	CONSTRAINT uq_jobs_id UNIQUE (id), 
	CONSTRAINT uq_jobs_idempotency_key UNIQUE (idempotency_key)
);
INSERT INTO "jobs" VALUES(1,'job-f7f2fdfd','ended','{"name":"ended","command":["train.py"],"code":null,"env":{},"workload":null,"hyperparameters":{},"nodes_min":1,"nodes_max":1,"nodes_wanted":null,"nproc_per_node":"auto","global_batch":null,"iterations":10000,"objective":{"maximize":"iterations_per_dollar","deadline_s":null,"budget_usd":null,"max_usd_per_hour":null,"value_of_time_usd_per_h":null},"node_types":[],"capacity":"any","policy":"best_value","fixed_node_type":null,"phases":[{"name":"main","until_iteration":null}],"drain_grace_s":30.0,"tier":"T1","most_samples":{},"precision":null,"max_restarts":null,"outputs":null,"batch":null,"requirements":[],"setup":[],"data":null,"secrets":[]}','cancelled',1700000000.0,4,400,1,0,0,'main',1700000620.0,'cancelled','asked',NULL,NULL,0,-1,NULL,'ended','ended',0,NULL,0,NULL,NULL,NULL,NULL);
INSERT INTO "jobs" VALUES(2,'job-a1124056','training','{"name":"training","command":["train.py"],"code":null,"env":{},"workload":null,"hyperparameters":{},"nodes_min":1,"nodes_max":1,"nodes_wanted":null,"nproc_per_node":"auto","global_batch":null,"iterations":10000,"objective":{"maximize":"iterations_per_dollar","deadline_s":null,"budget_usd":null,"max_usd_per_hour":null,"value_of_time_usd_per_h":null},"node_types":[],"capacity":"any","policy":"best_value","fixed_node_type":null,"phases":[{"name":"main","until_iteration":null}],"drain_grace_s":30.0,"tier":"T1","most_samples":{},"precision":null,"max_restarts":null,"outputs":null,"batch":null,"requirements":[],"setup":[],"data":null,"secrets":[]}','running',1700000000.0,2,400,1,0,0,'main',NULL,NULL,NULL,'{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}',NULL,0,-1,NULL,'training','training',0,NULL,0,NULL,NULL,NULL,NULL);
CREATE TABLE ledger (
	id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	node_id VARCHAR(32) NOT NULL, 
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	price_id INTEGER NOT NULL, 
	usd_per_h FLOAT NOT NULL, 
	from_s FLOAT NOT NULL, 
	to_s FLOAT, 
	minimum_s FLOAT NOT NULL, 
	extras_usd_per_h FLOAT NOT NULL, 
	is_waived BOOLEAN NOT NULL, 
	CONSTRAINT pk_ledger PRIMARY KEY (id), 
	CONSTRAINT fk_ledger_job_id FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT fk_ledger_node_id FOREIGN KEY(node_id) REFERENCES nodes (id), 
	CONSTRAINT fk_ledger_price_id FOREIGN KEY(price_id) REFERENCES prices (id)
);
INSERT INTO "ledger" VALUES(1,'job-f7f2fdfd','node-8e60af0f','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(2,'job-f7f2fdfd','node-8e60af0f','local.half','on-demand','local',2,0.72,1700000300.0,1700000610.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(3,'job-f7f2fdfd','node-6e0573d0','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(4,'job-f7f2fdfd','node-6e0573d0','local.half','on-demand','local',2,0.72,1700000300.0,1700000610.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(5,'job-a1124056','node-ed640b65','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(6,'job-a1124056','node-ed640b65','local.half','on-demand','local',2,0.72,1700000300.0,NULL,0.0,0.0,0);
INSERT INTO "ledger" VALUES(7,'job-a1124056','node-ce5f8fc5','local.half','on-demand','local',1,0.36,1700000005.0,1700000300.0,0.0,0.0,0);
INSERT INTO "ledger" VALUES(8,'job-a1124056','node-ce5f8fc5','local.half','on-demand','local',2,0.72,1700000300.0,NULL,0.0,0.0,0);
CREATE TABLE nodes (
	seq INTEGER NOT NULL, 
	id VARCHAR(32) NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	phase VARCHAR(16) NOT NULL, 
	token VARCHAR(64) NOT NULL, 
	intended_at_s FLOAT NOT NULL, 
	provider_id VARCHAR(128), 
	launched_at_s FLOAT, 
	joined_at_s FLOAT, 
	heartbeat_at_s FLOAT, 
	terminated_at_s FLOAT, 
	agent_state VARCHAR(16), 
	agent_generation INTEGER, 
	exit TEXT, 
	acked_seq BIGINT NOT NULL, 
	reason TEXT NOT NULL, 
	notice_kind VARCHAR(16), 
	notice_action VARCHAR(32), 
	notice_at_s FLOAT, 
	noticed_at_s FLOAT, 
	stopping_at_s FLOAT, 
	saving_s FLOAT, 
	tier VARCHAR(8), 
	failures INTEGER NOT NULL, 
	still_s FLOAT, 
	longest_pause_s FLOAT, 
	learnt_pause_s FLOAT, 
	extras_usd_per_h FLOAT, 
	minimum_billed_s FLOAT NOT NULL, 
	billed_from_s FLOAT, 
	is_waived BOOLEAN NOT NULL, processes INTEGER DEFAULT '1' NOT NULL, threads INTEGER DEFAULT '1' NOT NULL, image VARCHAR(64), setup_s FLOAT, setup_bytes BIGINT, prepared_at_s FLOAT, preparing TEXT, 
	CONSTRAINT pk_nodes PRIMARY KEY (seq), 
	CONSTRAINT fk_nodes_job_id FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT uq_nodes_id UNIQUE (id)
);
INSERT INTO "nodes" VALUES(1,'node-8e60af0f','job-f7f2fdfd','local.half','on-demand','local','terminated','ede7e11410343051db0496de087b841b',1700000001.0,'ended-1',1700000005.0,1700000020.0,1700000020.0,1700000610.0,NULL,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(2,'node-6e0573d0','job-f7f2fdfd','local.half','on-demand','local','terminated','dccb351dbd33c507110e6148c951ef4f',1700000001.0,'ended-2',1700000005.0,1700000020.0,1700000020.0,1700000610.0,NULL,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(3,'node-ed640b65','job-a1124056','local.half','on-demand','local','joined','7be4b50869206ec69ecf77151a9ab858',1700000001.0,'training-1',1700000005.0,1700000020.0,1700000020.0,NULL,NULL,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "nodes" VALUES(4,'node-ce5f8fc5','job-a1124056','local.half','on-demand','local','joined','260cf5960654cea1a5b985ffab69f1b7',1700000001.0,'training-2',1700000005.0,1700000020.0,1700000020.0,NULL,NULL,NULL,NULL,0,'test',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,0.0,60.0,NULL,0,1,1,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE past_prices (
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	valid_from_s FLOAT NOT NULL, 
	usd_per_h FLOAT NOT NULL, 
	extras_usd_per_h FLOAT NOT NULL, 
	observed_at_s FLOAT NOT NULL, 
	source VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_past_prices PRIMARY KEY (node_type, capacity, zone, valid_from_s)
);
CREATE TABLE prices (
	id INTEGER NOT NULL, 
	node_type VARCHAR(64) NOT NULL, 
	capacity VARCHAR(16) NOT NULL, 
	zone VARCHAR(32) NOT NULL, 
	usd_per_h FLOAT NOT NULL, 
	extras_usd_per_h FLOAT NOT NULL, 
	valid_from_s FLOAT NOT NULL, 
	observed_at_s FLOAT NOT NULL, 
	source VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_prices PRIMARY KEY (id)
);
INSERT INTO "prices" VALUES(1,'local.half','on-demand','local',0.36,0.0,1699999900.0,1699999900.0,'test');
INSERT INTO "prices" VALUES(2,'local.half','on-demand','local',0.72,0.0,1700000300.0,1700000300.0,'test');
CREATE TABLE resumes (
	job_id VARCHAR(32) NOT NULL, 
	number INTEGER NOT NULL, 
	ended_at_s FLOAT NOT NULL, 
	ending VARCHAR(24) NOT NULL, 
	resumed_at_s FLOAT NOT NULL, 
	CONSTRAINT pk_resumes PRIMARY KEY (job_id, number), 
	CONSTRAINT fk_resumes_job_id FOREIGN KEY(job_id) REFERENCES jobs (id)
);
CREATE TABLE series (
	id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	members TEXT NOT NULL, 
	training_phase VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_series PRIMARY KEY (id), 
	CONSTRAINT fk_series_job_id FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT uq_series_job_id_members_training_phase UNIQUE (job_id, members, training_phase)
);
INSERT INTO "series" VALUES(1,'job-f7f2fdfd','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','main');
INSERT INTO "series" VALUES(2,'job-a1124056','{"members":[[{"node_type":"local.half","capacity":"on-demand","zone":"local"},2]]}','main');
CREATE TABLE windows (
	id INTEGER NOT NULL, 
	series_id INTEGER NOT NULL, 
	job_id VARCHAR(32) NOT NULL, 
	node_id VARCHAR(32) NOT NULL, 
	seq BIGINT NOT NULL, 
	generation INTEGER NOT NULL, 
	world_size INTEGER NOT NULL, 
	iteration BIGINT, 
	iterations BIGINT NOT NULL, 
	elapsed_s FLOAT NOT NULL, 
	is_cold BOOLEAN NOT NULL, 
	ended_at_s FLOAT NOT NULL, 
	CONSTRAINT pk_windows PRIMARY KEY (id), 
	CONSTRAINT fk_windows_series_id FOREIGN KEY(series_id) REFERENCES series (id), 
	CONSTRAINT uq_windows_node_id_seq UNIQUE (node_id, seq)
);
INSERT INTO "windows" VALUES(1,1,'job-f7f2fdfd','node-8e60af0f',1,1,2,4,4,0.5,1,1700000040.0);
INSERT INTO "windows" VALUES(2,1,'job-f7f2fdfd','node-8e60af0f',2,1,2,8,4,0.5,0,1700000040.5);
INSERT INTO "windows" VALUES(3,1,'job-f7f2fdfd','node-8e60af0f',3,1,2,12,4,0.5,0,1700000041.0);
INSERT INTO "windows" VALUES(4,1,'job-f7f2fdfd','node-8e60af0f',4,1,2,16,4,0.5,0,1700000041.5);
INSERT INTO "windows" VALUES(5,1,'job-f7f2fdfd','node-8e60af0f',5,1,2,20,4,0.5,0,1700000042.0);
INSERT INTO "windows" VALUES(6,1,'job-f7f2fdfd','node-8e60af0f',6,1,2,24,4,0.5,0,1700000042.5);
INSERT INTO "windows" VALUES(7,1,'job-f7f2fdfd','node-8e60af0f',7,1,2,28,4,0.5,0,1700000043.0);
INSERT INTO "windows" VALUES(8,1,'job-f7f2fdfd','node-8e60af0f',8,1,2,32,4,0.5,0,1700000043.5);
INSERT INTO "windows" VALUES(9,1,'job-f7f2fdfd','node-8e60af0f',9,1,2,36,4,0.5,0,1700000044.0);
INSERT INTO "windows" VALUES(10,1,'job-f7f2fdfd','node-8e60af0f',10,1,2,40,4,0.5,0,1700000044.5);
INSERT INTO "windows" VALUES(11,1,'job-f7f2fdfd','node-8e60af0f',11,1,2,44,4,0.5,0,1700000045.0);
INSERT INTO "windows" VALUES(12,1,'job-f7f2fdfd','node-8e60af0f',12,1,2,48,4,0.5,0,1700000045.5);
INSERT INTO "windows" VALUES(13,1,'job-f7f2fdfd','node-8e60af0f',13,1,2,52,4,0.5,0,1700000046.0);
INSERT INTO "windows" VALUES(14,1,'job-f7f2fdfd','node-8e60af0f',14,1,2,56,4,0.5,0,1700000046.5);
INSERT INTO "windows" VALUES(15,1,'job-f7f2fdfd','node-8e60af0f',15,1,2,60,4,0.5,0,1700000047.0);
INSERT INTO "windows" VALUES(16,1,'job-f7f2fdfd','node-8e60af0f',16,1,2,64,4,0.5,0,1700000047.5);
INSERT INTO "windows" VALUES(17,1,'job-f7f2fdfd','node-8e60af0f',17,1,2,68,4,0.5,0,1700000048.0);
INSERT INTO "windows" VALUES(18,1,'job-f7f2fdfd','node-8e60af0f',18,1,2,72,4,0.5,0,1700000048.5);
INSERT INTO "windows" VALUES(19,1,'job-f7f2fdfd','node-8e60af0f',19,1,2,76,4,0.5,0,1700000049.0);
INSERT INTO "windows" VALUES(20,1,'job-f7f2fdfd','node-8e60af0f',20,1,2,80,4,0.5,0,1700000049.5);
INSERT INTO "windows" VALUES(21,1,'job-f7f2fdfd','node-8e60af0f',21,1,2,84,4,0.5,0,1700000050.0);
INSERT INTO "windows" VALUES(22,1,'job-f7f2fdfd','node-8e60af0f',22,1,2,88,4,0.5,0,1700000050.5);
INSERT INTO "windows" VALUES(23,1,'job-f7f2fdfd','node-8e60af0f',23,1,2,92,4,0.5,0,1700000051.0);
INSERT INTO "windows" VALUES(24,1,'job-f7f2fdfd','node-8e60af0f',24,1,2,96,4,0.5,0,1700000051.5);
INSERT INTO "windows" VALUES(25,1,'job-f7f2fdfd','node-8e60af0f',25,1,2,100,4,0.5,0,1700000052.0);
INSERT INTO "windows" VALUES(26,1,'job-f7f2fdfd','node-8e60af0f',26,1,2,104,4,0.5,0,1700000052.5);
INSERT INTO "windows" VALUES(27,1,'job-f7f2fdfd','node-8e60af0f',27,1,2,108,4,0.5,0,1700000053.0);
INSERT INTO "windows" VALUES(28,1,'job-f7f2fdfd','node-8e60af0f',28,1,2,112,4,0.5,0,1700000053.5);
INSERT INTO "windows" VALUES(29,1,'job-f7f2fdfd','node-8e60af0f',29,1,2,116,4,0.5,0,1700000054.0);
INSERT INTO "windows" VALUES(30,1,'job-f7f2fdfd','node-8e60af0f',30,1,2,120,4,0.5,0,1700000054.5);
INSERT INTO "windows" VALUES(31,1,'job-f7f2fdfd','node-8e60af0f',31,1,2,124,4,0.5,0,1700000055.0);
INSERT INTO "windows" VALUES(32,1,'job-f7f2fdfd','node-8e60af0f',32,1,2,128,4,0.5,0,1700000055.5);
INSERT INTO "windows" VALUES(33,1,'job-f7f2fdfd','node-8e60af0f',33,1,2,132,4,0.5,0,1700000056.0);
INSERT INTO "windows" VALUES(34,1,'job-f7f2fdfd','node-8e60af0f',34,1,2,136,4,0.5,0,1700000056.5);
INSERT INTO "windows" VALUES(35,1,'job-f7f2fdfd','node-8e60af0f',35,1,2,140,4,0.5,0,1700000057.0);
INSERT INTO "windows" VALUES(36,1,'job-f7f2fdfd','node-8e60af0f',36,1,2,144,4,0.5,0,1700000057.5);
INSERT INTO "windows" VALUES(37,1,'job-f7f2fdfd','node-8e60af0f',37,1,2,148,4,0.5,0,1700000058.0);
INSERT INTO "windows" VALUES(38,1,'job-f7f2fdfd','node-8e60af0f',38,1,2,152,4,0.5,0,1700000058.5);
INSERT INTO "windows" VALUES(39,1,'job-f7f2fdfd','node-8e60af0f',39,1,2,156,4,0.5,0,1700000059.0);
INSERT INTO "windows" VALUES(40,1,'job-f7f2fdfd','node-8e60af0f',40,1,2,160,4,0.5,0,1700000059.5);
INSERT INTO "windows" VALUES(41,1,'job-f7f2fdfd','node-8e60af0f',41,1,2,164,4,0.5,0,1700000060.0);
INSERT INTO "windows" VALUES(42,1,'job-f7f2fdfd','node-8e60af0f',42,1,2,168,4,0.5,0,1700000060.5);
INSERT INTO "windows" VALUES(43,1,'job-f7f2fdfd','node-8e60af0f',43,1,2,172,4,0.5,0,1700000061.0);
INSERT INTO "windows" VALUES(44,1,'job-f7f2fdfd','node-8e60af0f',44,1,2,176,4,0.5,0,1700000061.5);
INSERT INTO "windows" VALUES(45,1,'job-f7f2fdfd','node-8e60af0f',45,1,2,180,4,0.5,0,1700000062.0);
INSERT INTO "windows" VALUES(46,1,'job-f7f2fdfd','node-8e60af0f',46,1,2,184,4,0.5,0,1700000062.5);
INSERT INTO "windows" VALUES(47,1,'job-f7f2fdfd','node-8e60af0f',47,1,2,188,4,0.5,0,1700000063.0);
INSERT INTO "windows" VALUES(48,1,'job-f7f2fdfd','node-8e60af0f',48,1,2,192,4,0.5,0,1700000063.5);
INSERT INTO "windows" VALUES(49,1,'job-f7f2fdfd','node-8e60af0f',49,1,2,196,4,0.5,0,1700000064.0);
INSERT INTO "windows" VALUES(50,1,'job-f7f2fdfd','node-8e60af0f',50,1,2,200,4,0.5,0,1700000064.5);
INSERT INTO "windows" VALUES(51,1,'job-f7f2fdfd','node-8e60af0f',51,1,2,204,4,0.5,0,1700000065.0);
INSERT INTO "windows" VALUES(52,1,'job-f7f2fdfd','node-8e60af0f',52,1,2,208,4,0.5,0,1700000065.5);
INSERT INTO "windows" VALUES(53,1,'job-f7f2fdfd','node-8e60af0f',53,1,2,212,4,0.5,0,1700000066.0);
INSERT INTO "windows" VALUES(54,1,'job-f7f2fdfd','node-8e60af0f',54,1,2,216,4,0.5,0,1700000066.5);
INSERT INTO "windows" VALUES(55,1,'job-f7f2fdfd','node-8e60af0f',55,1,2,220,4,0.5,0,1700000067.0);
INSERT INTO "windows" VALUES(56,1,'job-f7f2fdfd','node-8e60af0f',56,1,2,224,4,0.5,0,1700000067.5);
INSERT INTO "windows" VALUES(57,1,'job-f7f2fdfd','node-8e60af0f',57,1,2,228,4,0.5,0,1700000068.0);
INSERT INTO "windows" VALUES(58,1,'job-f7f2fdfd','node-8e60af0f',58,1,2,232,4,0.5,0,1700000068.5);
INSERT INTO "windows" VALUES(59,1,'job-f7f2fdfd','node-8e60af0f',59,1,2,236,4,0.5,0,1700000069.0);
INSERT INTO "windows" VALUES(60,1,'job-f7f2fdfd','node-8e60af0f',60,1,2,240,4,0.5,0,1700000069.5);
INSERT INTO "windows" VALUES(61,1,'job-f7f2fdfd','node-8e60af0f',61,1,2,244,4,0.5,0,1700000070.0);
INSERT INTO "windows" VALUES(62,1,'job-f7f2fdfd','node-8e60af0f',62,1,2,248,4,0.5,0,1700000070.5);
INSERT INTO "windows" VALUES(63,1,'job-f7f2fdfd','node-8e60af0f',63,1,2,252,4,0.5,0,1700000071.0);
INSERT INTO "windows" VALUES(64,1,'job-f7f2fdfd','node-8e60af0f',64,1,2,256,4,0.5,0,1700000071.5);
INSERT INTO "windows" VALUES(65,1,'job-f7f2fdfd','node-8e60af0f',65,1,2,260,4,0.5,0,1700000072.0);
INSERT INTO "windows" VALUES(66,1,'job-f7f2fdfd','node-8e60af0f',66,1,2,264,4,0.5,0,1700000072.5);
INSERT INTO "windows" VALUES(67,1,'job-f7f2fdfd','node-8e60af0f',67,1,2,268,4,0.5,0,1700000073.0);
INSERT INTO "windows" VALUES(68,1,'job-f7f2fdfd','node-8e60af0f',68,1,2,272,4,0.5,0,1700000073.5);
INSERT INTO "windows" VALUES(69,1,'job-f7f2fdfd','node-8e60af0f',69,1,2,276,4,0.5,0,1700000074.0);
INSERT INTO "windows" VALUES(70,1,'job-f7f2fdfd','node-8e60af0f',70,1,2,280,4,0.5,0,1700000074.5);
INSERT INTO "windows" VALUES(71,1,'job-f7f2fdfd','node-8e60af0f',71,1,2,284,4,0.5,0,1700000075.0);
INSERT INTO "windows" VALUES(72,1,'job-f7f2fdfd','node-8e60af0f',72,1,2,288,4,0.5,0,1700000075.5);
INSERT INTO "windows" VALUES(73,1,'job-f7f2fdfd','node-8e60af0f',73,1,2,292,4,0.5,0,1700000076.0);
INSERT INTO "windows" VALUES(74,1,'job-f7f2fdfd','node-8e60af0f',74,1,2,296,4,0.5,0,1700000076.5);
INSERT INTO "windows" VALUES(75,1,'job-f7f2fdfd','node-8e60af0f',75,1,2,300,4,0.5,0,1700000077.0);
INSERT INTO "windows" VALUES(76,1,'job-f7f2fdfd','node-8e60af0f',76,1,2,304,4,0.5,0,1700000077.5);
INSERT INTO "windows" VALUES(77,1,'job-f7f2fdfd','node-8e60af0f',77,1,2,308,4,0.5,0,1700000078.0);
INSERT INTO "windows" VALUES(78,1,'job-f7f2fdfd','node-8e60af0f',78,1,2,312,4,0.5,0,1700000078.5);
INSERT INTO "windows" VALUES(79,1,'job-f7f2fdfd','node-8e60af0f',79,1,2,316,4,0.5,0,1700000079.0);
INSERT INTO "windows" VALUES(80,1,'job-f7f2fdfd','node-8e60af0f',80,1,2,320,4,0.5,0,1700000079.5);
INSERT INTO "windows" VALUES(81,1,'job-f7f2fdfd','node-8e60af0f',81,1,2,324,4,0.5,0,1700000080.0);
INSERT INTO "windows" VALUES(82,1,'job-f7f2fdfd','node-8e60af0f',82,1,2,328,4,0.5,0,1700000080.5);
INSERT INTO "windows" VALUES(83,1,'job-f7f2fdfd','node-8e60af0f',83,1,2,332,4,0.5,0,1700000081.0);
INSERT INTO "windows" VALUES(84,1,'job-f7f2fdfd','node-8e60af0f',84,1,2,336,4,0.5,0,1700000081.5);
INSERT INTO "windows" VALUES(85,1,'job-f7f2fdfd','node-8e60af0f',85,1,2,340,4,0.5,0,1700000082.0);
INSERT INTO "windows" VALUES(86,1,'job-f7f2fdfd','node-8e60af0f',86,1,2,344,4,0.5,0,1700000082.5);
INSERT INTO "windows" VALUES(87,1,'job-f7f2fdfd','node-8e60af0f',87,1,2,348,4,0.5,0,1700000083.0);
INSERT INTO "windows" VALUES(88,1,'job-f7f2fdfd','node-8e60af0f',88,1,2,352,4,0.5,0,1700000083.5);
INSERT INTO "windows" VALUES(89,1,'job-f7f2fdfd','node-8e60af0f',89,1,2,356,4,0.5,0,1700000084.0);
INSERT INTO "windows" VALUES(90,1,'job-f7f2fdfd','node-8e60af0f',90,1,2,360,4,0.5,0,1700000084.5);
INSERT INTO "windows" VALUES(91,1,'job-f7f2fdfd','node-8e60af0f',91,1,2,364,4,0.5,0,1700000085.0);
INSERT INTO "windows" VALUES(92,1,'job-f7f2fdfd','node-8e60af0f',92,1,2,368,4,0.5,0,1700000085.5);
INSERT INTO "windows" VALUES(93,1,'job-f7f2fdfd','node-8e60af0f',93,1,2,372,4,0.5,0,1700000086.0);
INSERT INTO "windows" VALUES(94,1,'job-f7f2fdfd','node-8e60af0f',94,1,2,376,4,0.5,0,1700000086.5);
INSERT INTO "windows" VALUES(95,1,'job-f7f2fdfd','node-8e60af0f',95,1,2,380,4,0.5,0,1700000087.0);
INSERT INTO "windows" VALUES(96,1,'job-f7f2fdfd','node-8e60af0f',96,1,2,384,4,0.5,0,1700000087.5);
INSERT INTO "windows" VALUES(97,1,'job-f7f2fdfd','node-8e60af0f',97,1,2,388,4,0.5,0,1700000088.0);
INSERT INTO "windows" VALUES(98,1,'job-f7f2fdfd','node-8e60af0f',98,1,2,392,4,0.5,0,1700000088.5);
INSERT INTO "windows" VALUES(99,1,'job-f7f2fdfd','node-8e60af0f',99,1,2,396,4,0.5,0,1700000089.0);
INSERT INTO "windows" VALUES(100,1,'job-f7f2fdfd','node-8e60af0f',100,1,2,400,4,0.5,0,1700000089.5);
INSERT INTO "windows" VALUES(101,2,'job-a1124056','node-ed640b65',1,1,2,4,4,0.5,1,1700000040.0);
INSERT INTO "windows" VALUES(102,2,'job-a1124056','node-ed640b65',2,1,2,8,4,0.5,0,1700000040.5);
INSERT INTO "windows" VALUES(103,2,'job-a1124056','node-ed640b65',3,1,2,12,4,0.5,0,1700000041.0);
INSERT INTO "windows" VALUES(104,2,'job-a1124056','node-ed640b65',4,1,2,16,4,0.5,0,1700000041.5);
INSERT INTO "windows" VALUES(105,2,'job-a1124056','node-ed640b65',5,1,2,20,4,0.5,0,1700000042.0);
INSERT INTO "windows" VALUES(106,2,'job-a1124056','node-ed640b65',6,1,2,24,4,0.5,0,1700000042.5);
INSERT INTO "windows" VALUES(107,2,'job-a1124056','node-ed640b65',7,1,2,28,4,0.5,0,1700000043.0);
INSERT INTO "windows" VALUES(108,2,'job-a1124056','node-ed640b65',8,1,2,32,4,0.5,0,1700000043.5);
INSERT INTO "windows" VALUES(109,2,'job-a1124056','node-ed640b65',9,1,2,36,4,0.5,0,1700000044.0);
INSERT INTO "windows" VALUES(110,2,'job-a1124056','node-ed640b65',10,1,2,40,4,0.5,0,1700000044.5);
INSERT INTO "windows" VALUES(111,2,'job-a1124056','node-ed640b65',11,1,2,44,4,0.5,0,1700000045.0);
INSERT INTO "windows" VALUES(112,2,'job-a1124056','node-ed640b65',12,1,2,48,4,0.5,0,1700000045.5);
INSERT INTO "windows" VALUES(113,2,'job-a1124056','node-ed640b65',13,1,2,52,4,0.5,0,1700000046.0);
INSERT INTO "windows" VALUES(114,2,'job-a1124056','node-ed640b65',14,1,2,56,4,0.5,0,1700000046.5);
INSERT INTO "windows" VALUES(115,2,'job-a1124056','node-ed640b65',15,1,2,60,4,0.5,0,1700000047.0);
INSERT INTO "windows" VALUES(116,2,'job-a1124056','node-ed640b65',16,1,2,64,4,0.5,0,1700000047.5);
INSERT INTO "windows" VALUES(117,2,'job-a1124056','node-ed640b65',17,1,2,68,4,0.5,0,1700000048.0);
INSERT INTO "windows" VALUES(118,2,'job-a1124056','node-ed640b65',18,1,2,72,4,0.5,0,1700000048.5);
INSERT INTO "windows" VALUES(119,2,'job-a1124056','node-ed640b65',19,1,2,76,4,0.5,0,1700000049.0);
INSERT INTO "windows" VALUES(120,2,'job-a1124056','node-ed640b65',20,1,2,80,4,0.5,0,1700000049.5);
INSERT INTO "windows" VALUES(121,2,'job-a1124056','node-ed640b65',21,1,2,84,4,0.5,0,1700000050.0);
INSERT INTO "windows" VALUES(122,2,'job-a1124056','node-ed640b65',22,1,2,88,4,0.5,0,1700000050.5);
INSERT INTO "windows" VALUES(123,2,'job-a1124056','node-ed640b65',23,1,2,92,4,0.5,0,1700000051.0);
INSERT INTO "windows" VALUES(124,2,'job-a1124056','node-ed640b65',24,1,2,96,4,0.5,0,1700000051.5);
INSERT INTO "windows" VALUES(125,2,'job-a1124056','node-ed640b65',25,1,2,100,4,0.5,0,1700000052.0);
INSERT INTO "windows" VALUES(126,2,'job-a1124056','node-ed640b65',26,1,2,104,4,0.5,0,1700000052.5);
INSERT INTO "windows" VALUES(127,2,'job-a1124056','node-ed640b65',27,1,2,108,4,0.5,0,1700000053.0);
INSERT INTO "windows" VALUES(128,2,'job-a1124056','node-ed640b65',28,1,2,112,4,0.5,0,1700000053.5);
INSERT INTO "windows" VALUES(129,2,'job-a1124056','node-ed640b65',29,1,2,116,4,0.5,0,1700000054.0);
INSERT INTO "windows" VALUES(130,2,'job-a1124056','node-ed640b65',30,1,2,120,4,0.5,0,1700000054.5);
INSERT INTO "windows" VALUES(131,2,'job-a1124056','node-ed640b65',31,1,2,124,4,0.5,0,1700000055.0);
INSERT INTO "windows" VALUES(132,2,'job-a1124056','node-ed640b65',32,1,2,128,4,0.5,0,1700000055.5);
INSERT INTO "windows" VALUES(133,2,'job-a1124056','node-ed640b65',33,1,2,132,4,0.5,0,1700000056.0);
INSERT INTO "windows" VALUES(134,2,'job-a1124056','node-ed640b65',34,1,2,136,4,0.5,0,1700000056.5);
INSERT INTO "windows" VALUES(135,2,'job-a1124056','node-ed640b65',35,1,2,140,4,0.5,0,1700000057.0);
INSERT INTO "windows" VALUES(136,2,'job-a1124056','node-ed640b65',36,1,2,144,4,0.5,0,1700000057.5);
INSERT INTO "windows" VALUES(137,2,'job-a1124056','node-ed640b65',37,1,2,148,4,0.5,0,1700000058.0);
INSERT INTO "windows" VALUES(138,2,'job-a1124056','node-ed640b65',38,1,2,152,4,0.5,0,1700000058.5);
INSERT INTO "windows" VALUES(139,2,'job-a1124056','node-ed640b65',39,1,2,156,4,0.5,0,1700000059.0);
INSERT INTO "windows" VALUES(140,2,'job-a1124056','node-ed640b65',40,1,2,160,4,0.5,0,1700000059.5);
INSERT INTO "windows" VALUES(141,2,'job-a1124056','node-ed640b65',41,1,2,164,4,0.5,0,1700000060.0);
INSERT INTO "windows" VALUES(142,2,'job-a1124056','node-ed640b65',42,1,2,168,4,0.5,0,1700000060.5);
INSERT INTO "windows" VALUES(143,2,'job-a1124056','node-ed640b65',43,1,2,172,4,0.5,0,1700000061.0);
INSERT INTO "windows" VALUES(144,2,'job-a1124056','node-ed640b65',44,1,2,176,4,0.5,0,1700000061.5);
INSERT INTO "windows" VALUES(145,2,'job-a1124056','node-ed640b65',45,1,2,180,4,0.5,0,1700000062.0);
INSERT INTO "windows" VALUES(146,2,'job-a1124056','node-ed640b65',46,1,2,184,4,0.5,0,1700000062.5);
INSERT INTO "windows" VALUES(147,2,'job-a1124056','node-ed640b65',47,1,2,188,4,0.5,0,1700000063.0);
INSERT INTO "windows" VALUES(148,2,'job-a1124056','node-ed640b65',48,1,2,192,4,0.5,0,1700000063.5);
INSERT INTO "windows" VALUES(149,2,'job-a1124056','node-ed640b65',49,1,2,196,4,0.5,0,1700000064.0);
INSERT INTO "windows" VALUES(150,2,'job-a1124056','node-ed640b65',50,1,2,200,4,0.5,0,1700000064.5);
INSERT INTO "windows" VALUES(151,2,'job-a1124056','node-ed640b65',51,1,2,204,4,0.5,0,1700000065.0);
INSERT INTO "windows" VALUES(152,2,'job-a1124056','node-ed640b65',52,1,2,208,4,0.5,0,1700000065.5);
INSERT INTO "windows" VALUES(153,2,'job-a1124056','node-ed640b65',53,1,2,212,4,0.5,0,1700000066.0);
INSERT INTO "windows" VALUES(154,2,'job-a1124056','node-ed640b65',54,1,2,216,4,0.5,0,1700000066.5);
INSERT INTO "windows" VALUES(155,2,'job-a1124056','node-ed640b65',55,1,2,220,4,0.5,0,1700000067.0);
INSERT INTO "windows" VALUES(156,2,'job-a1124056','node-ed640b65',56,1,2,224,4,0.5,0,1700000067.5);
INSERT INTO "windows" VALUES(157,2,'job-a1124056','node-ed640b65',57,1,2,228,4,0.5,0,1700000068.0);
INSERT INTO "windows" VALUES(158,2,'job-a1124056','node-ed640b65',58,1,2,232,4,0.5,0,1700000068.5);
INSERT INTO "windows" VALUES(159,2,'job-a1124056','node-ed640b65',59,1,2,236,4,0.5,0,1700000069.0);
INSERT INTO "windows" VALUES(160,2,'job-a1124056','node-ed640b65',60,1,2,240,4,0.5,0,1700000069.5);
INSERT INTO "windows" VALUES(161,2,'job-a1124056','node-ed640b65',61,1,2,244,4,0.5,0,1700000070.0);
INSERT INTO "windows" VALUES(162,2,'job-a1124056','node-ed640b65',62,1,2,248,4,0.5,0,1700000070.5);
INSERT INTO "windows" VALUES(163,2,'job-a1124056','node-ed640b65',63,1,2,252,4,0.5,0,1700000071.0);
INSERT INTO "windows" VALUES(164,2,'job-a1124056','node-ed640b65',64,1,2,256,4,0.5,0,1700000071.5);
INSERT INTO "windows" VALUES(165,2,'job-a1124056','node-ed640b65',65,1,2,260,4,0.5,0,1700000072.0);
INSERT INTO "windows" VALUES(166,2,'job-a1124056','node-ed640b65',66,1,2,264,4,0.5,0,1700000072.5);
INSERT INTO "windows" VALUES(167,2,'job-a1124056','node-ed640b65',67,1,2,268,4,0.5,0,1700000073.0);
INSERT INTO "windows" VALUES(168,2,'job-a1124056','node-ed640b65',68,1,2,272,4,0.5,0,1700000073.5);
INSERT INTO "windows" VALUES(169,2,'job-a1124056','node-ed640b65',69,1,2,276,4,0.5,0,1700000074.0);
INSERT INTO "windows" VALUES(170,2,'job-a1124056','node-ed640b65',70,1,2,280,4,0.5,0,1700000074.5);
INSERT INTO "windows" VALUES(171,2,'job-a1124056','node-ed640b65',71,1,2,284,4,0.5,0,1700000075.0);
INSERT INTO "windows" VALUES(172,2,'job-a1124056','node-ed640b65',72,1,2,288,4,0.5,0,1700000075.5);
INSERT INTO "windows" VALUES(173,2,'job-a1124056','node-ed640b65',73,1,2,292,4,0.5,0,1700000076.0);
INSERT INTO "windows" VALUES(174,2,'job-a1124056','node-ed640b65',74,1,2,296,4,0.5,0,1700000076.5);
INSERT INTO "windows" VALUES(175,2,'job-a1124056','node-ed640b65',75,1,2,300,4,0.5,0,1700000077.0);
INSERT INTO "windows" VALUES(176,2,'job-a1124056','node-ed640b65',76,1,2,304,4,0.5,0,1700000077.5);
INSERT INTO "windows" VALUES(177,2,'job-a1124056','node-ed640b65',77,1,2,308,4,0.5,0,1700000078.0);
INSERT INTO "windows" VALUES(178,2,'job-a1124056','node-ed640b65',78,1,2,312,4,0.5,0,1700000078.5);
INSERT INTO "windows" VALUES(179,2,'job-a1124056','node-ed640b65',79,1,2,316,4,0.5,0,1700000079.0);
INSERT INTO "windows" VALUES(180,2,'job-a1124056','node-ed640b65',80,1,2,320,4,0.5,0,1700000079.5);
INSERT INTO "windows" VALUES(181,2,'job-a1124056','node-ed640b65',81,1,2,324,4,0.5,0,1700000080.0);
INSERT INTO "windows" VALUES(182,2,'job-a1124056','node-ed640b65',82,1,2,328,4,0.5,0,1700000080.5);
INSERT INTO "windows" VALUES(183,2,'job-a1124056','node-ed640b65',83,1,2,332,4,0.5,0,1700000081.0);
INSERT INTO "windows" VALUES(184,2,'job-a1124056','node-ed640b65',84,1,2,336,4,0.5,0,1700000081.5);
INSERT INTO "windows" VALUES(185,2,'job-a1124056','node-ed640b65',85,1,2,340,4,0.5,0,1700000082.0);
INSERT INTO "windows" VALUES(186,2,'job-a1124056','node-ed640b65',86,1,2,344,4,0.5,0,1700000082.5);
INSERT INTO "windows" VALUES(187,2,'job-a1124056','node-ed640b65',87,1,2,348,4,0.5,0,1700000083.0);
INSERT INTO "windows" VALUES(188,2,'job-a1124056','node-ed640b65',88,1,2,352,4,0.5,0,1700000083.5);
INSERT INTO "windows" VALUES(189,2,'job-a1124056','node-ed640b65',89,1,2,356,4,0.5,0,1700000084.0);
INSERT INTO "windows" VALUES(190,2,'job-a1124056','node-ed640b65',90,1,2,360,4,0.5,0,1700000084.5);
INSERT INTO "windows" VALUES(191,2,'job-a1124056','node-ed640b65',91,1,2,364,4,0.5,0,1700000085.0);
INSERT INTO "windows" VALUES(192,2,'job-a1124056','node-ed640b65',92,1,2,368,4,0.5,0,1700000085.5);
INSERT INTO "windows" VALUES(193,2,'job-a1124056','node-ed640b65',93,1,2,372,4,0.5,0,1700000086.0);
INSERT INTO "windows" VALUES(194,2,'job-a1124056','node-ed640b65',94,1,2,376,4,0.5,0,1700000086.5);
INSERT INTO "windows" VALUES(195,2,'job-a1124056','node-ed640b65',95,1,2,380,4,0.5,0,1700000087.0);
INSERT INTO "windows" VALUES(196,2,'job-a1124056','node-ed640b65',96,1,2,384,4,0.5,0,1700000087.5);
INSERT INTO "windows" VALUES(197,2,'job-a1124056','node-ed640b65',97,1,2,388,4,0.5,0,1700000088.0);
INSERT INTO "windows" VALUES(198,2,'job-a1124056','node-ed640b65',98,1,2,392,4,0.5,0,1700000088.5);
INSERT INTO "windows" VALUES(199,2,'job-a1124056','node-ed640b65',99,1,2,396,4,0.5,0,1700000089.0);
INSERT INTO "windows" VALUES(200,2,'job-a1124056','node-ed640b65',100,1,2,400,4,0.5,0,1700000089.5);
CREATE INDEX ix_events_job_id ON events (job_id);
CREATE INDEX ix_events_kind ON events (kind);
CREATE INDEX ix_intents_node_id ON intents (node_id);
CREATE INDEX ix_prices_node_type_capacity_zone_valid_from_s ON prices (node_type, capacity, zone, valid_from_s);
CREATE INDEX ix_decisions_action ON decisions (action);
CREATE INDEX ix_decisions_job_id_action_id ON decisions (job_id, action, id);
CREATE INDEX ix_decisions_job_id_id ON decisions (job_id, id);
CREATE INDEX ix_nodes_job_id ON nodes (job_id);
CREATE INDEX ix_nodes_phase ON nodes (phase);
CREATE INDEX ix_nodes_token ON nodes (token);
CREATE INDEX ix_ledger_job_id ON ledger (job_id);
CREATE INDEX ix_ledger_node_id ON ledger (node_id);
CREATE INDEX ix_windows_job_id_id ON windows (job_id, id);
CREATE INDEX ix_windows_series_id_is_cold_id ON windows (series_id, is_cold, id);
CREATE INDEX ix_jobs_name ON jobs (name);
CREATE INDEX ix_jobs_phase ON jobs (phase);
COMMIT;
